#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCases[] = {
    {"_nested_from_padded(f32[2,3,4]{1,2,6}, i64[2,2])", "!DynamicOutputShape"},
    {"_nested_from_padded(f32[2,3], i64[2,1])", "!DynamicOutputShape"},
    {"_nested_from_padded(f32[2,3,4], i64[])", "!ShapeMismatch"},
    {"_nested_from_padded(f32[2,3,4], i64[2,3])", "!ShapeMismatch"},
    {"_nested_from_padded(f32[2,3,4], f32[2,2])", "!DtypeMismatch"},
    {"_nested_tensor_from_mask(f32[2,3,4], b8[2,3]{1,2})", "!DynamicOutputShape"},
    {"_nested_tensor_from_mask(f32[2,3,4], b8[2,4])", "!ShapeMismatch"},
    {"_nested_tensor_from_mask(f32[2,3,4], f32[2,3])", "!DtypeMismatch"},
    {"_nested_tensor_from_mask(f32[2,3], b8[2,3])", "!ShapeMismatch"},
    {"_nested_tensor_from_mask(f32[2,3,4], b8[3])", "!ShapeMismatch"},
    {"_nested_tensor_from_mask_left_aligned(f32[2,3,4]{1,2,6}, b8[2,3])", "!DataDependentOutput"},
    {"_nested_tensor_from_mask_left_aligned(f32[2,3,4], b8[2,4])", "!ShapeMismatch"},
    {"_nested_tensor_from_mask_left_aligned(f32[2,3], b8[2,3])", "!ShapeMismatch"},
    {"_nested_tensor_from_tensor_list([f32[3,4]{1,3}, f32[2,4]])", "f32[2,3,4]:jagged"},
    {"_nested_tensor_from_tensor_list([f32[3,4], f32[2]])", "!ShapeMismatch"},
    {"_nested_tensor_from_tensor_list([f32[3], f32[2]], pin_memory=True)", "!ValueError"},
    {"to_padded_tensor(f32[2,3]{1,2}, 0.0)", "!TypeError"},
    {"to_padded_tensor(f32[4], 0.0)", "!TypeError"},
    {"_nested_view_from_buffer(f32[12], i64[2,2]{1,2}, i64[2,2], i64[2])", "!UnsupportedOperator"},
    {"_nested_view_from_buffer(f32[3,4], i64[2,2], i64[2,2], i64[2])", "!ShapeMismatch"},
    {"_nested_view_from_buffer(f32[12], i32[2,2], i64[2,2], i64[2])", "!DtypeMismatch"},
    {"_nested_view_from_buffer(f32[12], i64[3,2], i64[2,2], i64[2])", "!ShapeMismatch"},
};

TEST(Nested, Refusals) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
