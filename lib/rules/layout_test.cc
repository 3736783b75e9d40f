#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kRefused[] = {
    {"_coalesce(f32[2,3])", "!TypeError"},
    {"_nnz(f32[2,3]{1,2})", "!TypeError"},
    {"_sparse_softmax(f32[2,3]{1,2}, 1, False)", "!TypeError"},
    {"native_norm(f32[2])", "!TypeError"},
    {"sparse_mask(f32[2,3], f32[2,3])", "!TypeError"},
    {"_sparse_csr_sum.dim_dtype(f32[2,3], [0])", "!TypeError"},
    {"sparse_sampled_addmm(f32[2,2], f32[2,3], f32[3,2])", "!TypeError"},
    {"int_repr(f32[2,3]{1,2})", "!TypeError"},
    {"q_scale(f32[2])", "!TypeError"},
    {"quantized_max_pool2d(f32[1,2,4,4], [2,2])", "!TypeError"},
    {"to_padded_tensor(f32[2,3], 0.0)", "!TypeError"},
    {"_nested_tensor_size(f32[2,3])", "!TypeError"},
    {"mkldnn_max_pool2d(f32[1,2,4,4], [2,2])", "!TypeError"},
    {"_mkldnn_transpose(f32[2,3]{1,2}, 0, 1)", "!TypeError"},
    {"cudnn_convolution(f32[1,2,4,4], f32[3,2,3,3], [0,0], [1,1], [1,1], 1, False, False, False)", "!DeviceMismatch"},
    {"batch_norm_stats(f32[2,3], 0.1)", "!DeviceMismatch"},
    {"max_pool2d_backward(f32[1,2,2,2], f32[1,2,4,4], [2,2])", "!DeviceMismatch"},
    {"_resize_output(f32[2,3], [2,2], cpu)", "!DeviceMismatch"},
    {"_resize_output_(f32[2,3]{1,2}, [2,2], cpu)", "!DeviceMismatch"},
};

constexpr CallCase kLinearBackward[] = {
    {"linear_backward(f32[2,5,3], f32[2,5,4], f32[4,3], [True,False,True])", "f32[2,5,3], f32[4,3], f32[4]"},
    {"linear_backward(f32[2,3]{1,2}, f32[2,4]{1,2}, f32[4,3], [False,True,True])", "None, f32[4,3], f32[4]"},
    {"linear_backward(f32[3], f32[4], f32[4,3], [True,False,False])", "f32[3], None, None"},
    {"linear_backward(f32[], f32[4], f32[4,3], [True,True,False])", "!ShapeMismatch"},
};

TEST(Layout, Refused) { CheckCalls(kRefused); }
TEST(Layout, LinearBackward) { CheckCalls(kLinearBackward); }

}  // namespace
}  // namespace fakeprop::testing
