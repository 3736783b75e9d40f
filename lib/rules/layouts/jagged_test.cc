#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kRows[] = {
    {"_padded_dense_to_jagged_forward(f32[2,3,4]{1,2,6}, [i64[3]], 5)", "f32[5,4]"},
    {"_padded_dense_to_jagged_forward(f32[2,3], [i64[3]], 5)", "f32[5]"},
    {"_padded_dense_to_jagged_forward(f32[2,3,4]@cuda:0, [i64[3]], 5)", "f32[5,4]@cuda:0"},
    {"_padded_dense_to_jagged_forward(f32[2,3,4], [i64[3]])", "!DynamicOutputShape"},
    {"_padded_dense_to_jagged_forward(f32[2,3,4], [i64[3],i64[3]], 5)", "!ValueError"},
    {"_jagged_to_padded_dense_forward(f32[5,4]{1,5}, [i64[3]], [6])", "f32[2,6,4]"},
    {"_jagged_to_padded_dense_forward(i64[5], [i64[3]], [6])", "i64[2,6]"},
    {"_jagged_to_padded_dense_forward(f32[5,4], [i64[3],i64[3]], [6,7])", "!ValueError"},
    {"_jagged_to_padded_dense_forward(f32[5,4], [i64[3]], [6,7])", "!ValueError"},
    {"_jagged_to_padded_dense_forward(f32[5,4], [i64[0]], [6])", "!ValueError"},
    {"_nested_compute_contiguous_strides_offsets(i64[3,2]{1,3})", "i64[3,2], i64[3]"},
    {"_nested_compute_contiguous_strides_offsets(i64[])", "arg(0), i64[0]"},
    {"_nested_compute_contiguous_strides_offsets(i64[3,2,2])", "i64[3,2,2], i64[3]"},
    {"_nested_compute_contiguous_strides_offsets(i64[3,0])", "arg(0), i64[3]"},
    {"_nested_compute_contiguous_strides_offsets(f32[3,2])", "!DtypeMismatch"},
    {"_nested_compute_contiguous_strides_offsets(i64[3])", "!ShapeMismatch"},
    // As eager: FakeTensorMode lets these pass.
    {"_jagged_to_padded_dense_forward(f32[5,4], [i64[3,2]], [6], 0.0)", "!ShapeMismatch"},
    {"_jagged_to_padded_dense_forward(f32[], [i64[3]], [6])", "!ShapeMismatch"},
};

TEST(Jagged, Rows) { CheckCalls(kRows); }

}  // namespace
}  // namespace fakeprop::testing
