#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kMasks[] = {
    {"masked_fill.Scalar(f32[2,3]{1,2}, b8[3], 1.0)", "f32[2,3]"},
    {"masked_fill.Scalar(f32[2,1,3], b8[4,1], 1)", "f32[2,4,3]"},
    {"masked_fill.Scalar(f32[2,3], i64[3], 1.0)", "!DtypeMismatch"},
    {"masked_fill.Scalar(f32[2,3], b8[2], 1.0)", "!ShapeMismatch"},
    {"masked_fill.Tensor(f32[2,3]{1,2}, b8[2,3], f64[])", "f32[2,3]"},
    {"masked_fill.Tensor(i64[3], b8[3], f32[1])", "!ShapeMismatch"},
    {"masked_fill.Tensor(i64[3], b8[3], c64[])", "!DtypeMismatch"},
    {"masked_fill_.Scalar(f32[2,3]{0,1}, b8[3], 1.0)", "arg(0); writes 0"},
    {"masked_fill_.Scalar(f32[3], b8[2,3], 1.0)", "!ShapeMismatch"},
    {"masked_scatter(f32[2,3]{1,2}, b8[3], f32[6])", "f32[2,3]"},
    {"masked_scatter(f32[2,3], b8[3], f64[6])", "!DtypeMismatch"},
    {"masked_scatter_backward(f32[2,3], b8[2,3], [6])", "f32[6]"},
    {"masked_select(f32[2,3], b8[2,3])", "!DynamicOutputShape"},
    {"masked_select(f32[0,3], b8[0,3])", "f32[0]"},
    {"masked_select(f32[2,3], f32[2,3])", "!DtypeMismatch"},
    {"masked_select_backward(f32[6], f32[2,3]{1,2}, b8[2,3])", "f32[2,3]{1,2}"},
    {"masked_select_backward(f32[6], f32[3], b8[2,3])", "f32[2,3]"},
    {"masked_select_backward(f32[6], f32[2,1], b8[2,3])", "f32[2,3]"},
    {"masked_select_backward(f32[], f32[], b8[])", "f32[]"},
    {"masked_select_backward(f64[6], f32[2,3], b8[2,3])", "!DtypeMismatch"},
    {"masked_select_backward(f32[6], f32[2,3], u8[2,3])", "!DtypeMismatch"},
    {"masked_select_backward(f32[6], f32[2,3], f32[2,3])", "!DtypeMismatch"},
    {"masked_select_backward(f32[6], f32[2,3], b8[4])", "!ShapeMismatch"},
    {"nonzero(f32[2,3]{1,2})", "!DynamicOutputShape"},
    {"nonzero(f32[0,3])", "i64[0,2]{1,0}"},
    {"argwhere(f32[2])", "!DynamicOutputShape"},
    {"nonzero_numpy(f32[2,3]{1,2})", "!DynamicOutputShape"},
    {"nonzero_numpy(f32[3])", "!DynamicOutputShape"},
    {"where(b8[2,3]{1,2})", "!DynamicOutputShape"},
    {"where(b8[5])", "!DynamicOutputShape"},
    {"nonzero_static(f32[2,3]{1,2}, size=4)", "i64[4,2]"},
    {"nonzero_static(f32[2,3], size=-1)", "!ValueError"},
};

TEST(Mask, Masks) { CheckCalls(kMasks); }

}  // namespace
}  // namespace fakeprop::testing
