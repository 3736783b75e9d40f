#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Numbers of dtypes as at::ScalarType has them: 3 int32, 4 int64, 6 float32, 7 float64, 9 complex64, 11 bool.
constexpr CallCase kDtypes[] = {
    {"result_type.Tensor(f32[2,3]{1,2}, f64[])", "6"},
    {"result_type.Tensor(i32[2], i64[3])", "4"},
    {"result_type.Tensor(f32[2]@cuda:0, i64[2])", "6"},
    {"result_type.Scalar(f32[2,3]{1,2}, 2)", "6"},
    {"result_type.Scalar(i32[], 2.5)", "6"},
    {"result_type.Scalar(b8[2], True)", "11"},
    {"result_type.Scalar_Tensor(2.5, f64[2,3]{1,2})", "7"},
    {"result_type.Scalar_Tensor(2, i32[])", "3"},
    {"result_type.Scalar_Scalar(2, 2.5)", "6"},
    {"promote_types(int64, complex64)", "9"},
    {"can_cast(float32, int64)", "False"},
    {"can_cast(int64, float32)", "True"},
};

constexpr CallCase kStorages[] = {
    {"_debug_has_internal_overlap(f32[2,3]{1,2})", "0"},
    {"_debug_has_internal_overlap(f32[2,3]{0,1})", "1"},
    {"_debug_has_internal_overlap(f32[3]{2})", "2"},
    {"_debug_has_internal_overlap(f32[])", "0"},
    {"_has_same_storage_numel(f32[2,3]{1,2}, f64[6])", "True"},
    {"_has_same_storage_numel(f32[2], f32[])", "False"},
    {"_has_compatible_shallow_copy_type(f32[2,3]{1,2}, i64[]@cuda:0)", "True"},
    {"sparse_dim(f32[2,3]{1,2})", "0"},
    {"sparse_dim(f32[])", "0"},
    {"dense_dim(f32[2,3]{1,2})", "2"},
    {"dense_dim(f32[])", "0"},
    {"is_leaf(f32[2,3]{1,2})", "True"},
    {"is_leaf(f32[])", "True"},
    {"is_inference(f32[2,3]{1,2})", "False"},
    {"is_inference(f32[])", "False"},
    {"_version(f32[2,3]{1,2})", "0"},
    {"_version(f32[])", "0"},
    {"is_distributed(f32[2,3]{1,2})", "False"},
    {"is_distributed(f32[])", "False"},
    {"is_pinned(f32[2,3]{1,2})", "False"},
    {"is_pinned(f32[])", "False"},
    {"_is_zerotensor(f32[2,3]{1,2})", "False"},
    {"_is_zerotensor(f32[])", "False"},
    {"cudnn_is_acceptable(f32[2,3]{1,2})", "False"},
    {"cudnn_is_acceptable(f32[])", "False"},
};

constexpr CallCase kRanges[] = {
    {"_dim_arange(f32[2,3]{1,2}, 1)", "i64[3]"},
    {"_dim_arange(f32[2,3,4]@cuda:0, -1)", "i64[4]@cuda:0"},
    {"_dim_arange(f32[2], 1)", "!IndexOutOfRange"},
    {"_dim_arange(f32[], 0)", "!ShapeMismatch"},
};

TEST(TensorProperty, Dtypes) { CheckCalls(kDtypes); }
TEST(TensorProperty, Storages) { CheckCalls(kStorages); }
TEST(TensorProperty, Ranges) { CheckCalls(kRanges); }

}  // namespace
}  // namespace fakeprop::testing
