// Unboxed kernels of the operators that composites often consist of, and of slow calls with many tensors or lists.
#include "lib/fake/unboxed_kernel.h"

#include <ATen/ops/_addmm_activation_ops.h>
#include <ATen/ops/_amp_update_scale_ops.h>
#include <ATen/ops/_cdist_forward_ops.h>
#include <ATen/ops/_conj_ops.h>
#include <ATen/ops/_conj_physical_ops.h>
#include <ATen/ops/_convert_indices_from_coo_to_csr_ops.h>
#include <ATen/ops/_convert_indices_from_csr_to_coo_ops.h>
#include <ATen/ops/_ctc_loss_ops.h>
#include <ATen/ops/_cudnn_rnn_backward_ops.h>
#include <ATen/ops/_cudnn_rnn_ops.h>
#include <ATen/ops/_efficient_attention_backward_ops.h>
#include <ATen/ops/_embedding_bag_ops.h>
#include <ATen/ops/_fft_c2c_ops.h>
#include <ATen/ops/_fft_c2r_ops.h>
#include <ATen/ops/_fft_r2c_ops.h>
#include <ATen/ops/_flash_attention_backward_ops.h>
#include <ATen/ops/_flash_attention_forward_ops.h>
#include <ATen/ops/_linalg_check_errors_ops.h>
#include <ATen/ops/_linalg_eigvals_ops.h>
#include <ATen/ops/_linalg_slogdet_ops.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_prelu_kernel_ops.h>
#include <ATen/ops/_safe_softmax_ops.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention_ops.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/_unsafe_view_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/arange_ops.h>
#include <ATen/ops/argmax_ops.h>
#include <ATen/ops/argmin_ops.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/ceil_ops.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/cumprod_ops.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/embedding_renorm_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/empty_strided_ops.h>
#include <ATen/ops/exponential_ops.h>
#include <ATen/ops/flip_ops.h>
#include <ATen/ops/full_ops.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/hardtanh_ops.h>
#include <ATen/ops/isin_ops.h>
#include <ATen/ops/isnan_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/linalg_cross_ops.h>
#include <ATen/ops/linalg_inv_ex_ops.h>
#include <ATen/ops/linalg_ldl_factor_ex_ops.h>
#include <ATen/ops/linalg_matrix_exp_ops.h>
#include <ATen/ops/linalg_pinv_ops.h>
#include <ATen/ops/linspace_ops.h>
#include <ATen/ops/log_normal_ops.h>
#include <ATen/ops/logical_not_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/min_ops.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/miopen_rnn_ops.h>
#include <ATen/ops/mkldnn_rnn_layer_backward_ops.h>
#include <ATen/ops/mkldnn_rnn_layer_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/nan_to_num_ops.h>
#include <ATen/ops/nansum_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/ones_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/put_ops.h>
#include <ATen/ops/random_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/renorm_ops.h>
#include <ATen/ops/repeat_ops.h>
#include <ATen/ops/scalar_tensor_ops.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/std_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/var_ops.h>
#include <ATen/ops/view_as_complex_ops.h>
#include <ATen/ops/view_as_real_ops.h>
#include <ATen/ops/xlogy_ops.h>
#include <ATen/ops/zeros_ops.h>

namespace fakeprop::fake {

namespace {

using PartKernels = UnboxedKernels<at::_ops::_addmm_activation, at::_ops::_addmm_activation_out,
    at::_ops::_amp_update_scale_, at::_ops::_cdist_forward, at::_ops::_conj, at::_ops::_conj_physical,
    at::_ops::_convert_indices_from_coo_to_csr, at::_ops::_convert_indices_from_csr_to_coo, at::_ops::_ctc_loss,
    at::_ops::_ctc_loss_Tensor, at::_ops::_cudnn_rnn, at::_ops::_cudnn_rnn_backward,
    at::_ops::_efficient_attention_backward, at::_ops::_embedding_bag, at::_ops::_fft_c2c, at::_ops::_fft_c2r,
    at::_ops::_fft_r2c, at::_ops::_flash_attention_backward, at::_ops::_flash_attention_forward,
    at::_ops::_linalg_check_errors, at::_ops::_linalg_eigvals, at::_ops::_linalg_slogdet_sign,
    at::_ops::_log_softmax_out, at::_ops::_prelu_kernel, at::_ops::_safe_softmax,
    at::_ops::_scaled_dot_product_efficient_attention, at::_ops::_scaled_dot_product_flash_attention_for_cpu,
    at::_ops::_softmax_out, at::_ops::_unsafe_view, at::_ops::add__Scalar, at::_ops::all, at::_ops::all_all_out,
    at::_ops::all_dim, at::_ops::all_out, at::_ops::any, at::_ops::any_dim, at::_ops::any_out, at::_ops::arange,
    at::_ops::argmax, at::_ops::argmax_out, at::_ops::argmin, at::_ops::argmin_out, at::_ops::bitwise_and__Tensor,
    at::_ops::bitwise_or__Tensor, at::_ops::ceil_, at::_ops::clamp, at::_ops::clamp_min, at::_ops::clamp_min_,
    at::_ops::cumprod, at::_ops::cumprod_, at::_ops::cumprod_out, at::_ops::cumsum_, at::_ops::cumsum_out,
    at::_ops::div_Scalar, at::_ops::div__Scalar, at::_ops::embedding_renorm_, at::_ops::empty_memory_format,
    at::_ops::empty_strided, at::_ops::exponential_, at::_ops::flip, at::_ops::full, at::_ops::ge_Scalar,
    at::_ops::ge_Tensor, at::_ops::gt_Tensor, at::_ops::hardtanh_, at::_ops::isin_Tensor_Scalar, at::_ops::isnan,
    at::_ops::le_Scalar, at::_ops::le_Tensor, at::_ops::lerp__Tensor, at::_ops::linalg_cross_out,
    at::_ops::linalg_inv_ex_inverse, at::_ops::linalg_ldl_factor_ex, at::_ops::linalg_ldl_factor_ex_out,
    at::_ops::linalg_matrix_exp, at::_ops::linalg_pinv_atol_rtol_tensor, at::_ops::linspace_out, at::_ops::log_normal_,
    at::_ops::logical_not_, at::_ops::lt_Tensor, at::_ops::maximum, at::_ops::min, at::_ops::minimum,
    at::_ops::miopen_rnn, at::_ops::mkldnn_rnn_layer, at::_ops::mkldnn_rnn_layer_backward, at::_ops::mm_out,
    at::_ops::mul__Scalar, at::_ops::nan_to_num_, at::_ops::nansum, at::_ops::ne_Tensor, at::_ops::ones,
    at::_ops::prod_int_out, at::_ops::put_, at::_ops::random__from, at::_ops::random__to, at::_ops::relu_,
    at::_ops::renorm, at::_ops::renorm_, at::_ops::renorm_out, at::_ops::repeat, at::_ops::scalar_tensor,
    at::_ops::scatter_add_out, at::_ops::sigmoid_backward, at::_ops::sqrt_, at::_ops::std_correction,
    at::_ops::sub_Scalar, at::_ops::sub__Tensor, at::_ops::tanh_backward, at::_ops::var_correction,
    at::_ops::view_as_complex, at::_ops::view_as_real, at::_ops::xlogy_Tensor, at::_ops::zeros>;

}  // namespace

void RegisterUnboxedKernelsForParts() { PartKernels::Register(); }

}  // namespace fakeprop::fake
