// Unboxed kernels of operators that write to an argument or change its metadata, and of some that return lists.
#include "lib/fake/unboxed_kernel.h"

#include <ATen/ops/_add_relu_ops.h>
#include <ATen/ops/_foreach_norm_ops.h>
#include <ATen/ops/_index_put_impl_ops.h>
#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_upsample_lanczos2d_aa_backward_ops.h>
#include <ATen/ops/_upsample_lanczos2d_aa_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_ops.h>
#include <ATen/ops/addbmm_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bernoulli_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/floor_divide_ops.h>
#include <ATen/ops/geometric_ops.h>
#include <ATen/ops/hash_tensor_ops.h>
#include <ATen/ops/index_fill_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/linalg_cholesky_ex_ops.h>
#include <ATen/ops/linalg_cross_ops.h>
#include <ATen/ops/linalg_qr_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/max_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/min_ops.h>
#include <ATen/ops/normal_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reflection_pad1d_backward_ops.h>
#include <ATen/ops/replication_pad1d_backward_ops.h>
#include <ATen/ops/resize_as_ops.h>
#include <ATen/ops/resize_ops.h>
#include <ATen/ops/rrelu_with_noise_ops.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/set_ops.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/split_ops.h>
#include <ATen/ops/split_with_sizes_ops.h>
#include <ATen/ops/squeeze_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/topk_ops.h>
#include <ATen/ops/transpose_ops.h>
#include <ATen/ops/tril_ops.h>
#include <ATen/ops/triu_ops.h>
#include <ATen/ops/unbind_ops.h>
#include <ATen/ops/unsqueeze_ops.h>
#include <ATen/ops/upsample_linear1d_ops.h>
#include <ATen/ops/upsample_nearest1d_ops.h>

namespace fakeprop::fake {

namespace {

using WritingKernels = UnboxedKernels<at::_ops::_add_relu__Scalar, at::_ops::_add_relu__Tensor,
    at::_ops::_foreach_norm_Scalar, at::_ops::_index_put_impl_, at::_ops::_log_softmax_backward_data_out,
    at::_ops::_softmax_backward_data_out, at::_ops::_upsample_lanczos2d_aa, at::_ops::_upsample_lanczos2d_aa_backward,
    at::_ops::_upsample_lanczos2d_aa_out, at::_ops::_upsample_nearest_exact1d_out,
    at::_ops::_upsample_nearest_exact2d_out, at::_ops::addbmm_, at::_ops::addcdiv_, at::_ops::addcmul_,
    at::_ops::addmm_, at::_ops::addmm_out, at::_ops::all_dims_out, at::_ops::any_dims_out, at::_ops::as_strided_,
    at::_ops::baddbmm_, at::_ops::bernoulli__Tensor, at::_ops::bernoulli__float, at::_ops::cat_out, at::_ops::empty_out,
    at::_ops::floor_divide__Tensor, at::_ops::geometric_, at::_ops::hash_tensor, at::_ops::index_fill__int_Tensor,
    at::_ops::lerp__Scalar, at::_ops::linalg_cholesky_ex_L, at::_ops::linalg_cross, at::_ops::linalg_qr_out,
    at::_ops::masked_fill__Scalar, at::_ops::max_dim_max, at::_ops::mean_out, at::_ops::min_dim_min, at::_ops::normal_,
    at::_ops::normal_Tensor_Tensor_out, at::_ops::normal_float_float_out, at::_ops::pow_Scalar_out,
    at::_ops::reflection_pad1d_backward_grad_input, at::_ops::replication_pad1d_backward_grad_input, at::_ops::resize_,
    at::_ops::resize_as_, at::_ops::rrelu_with_noise_, at::_ops::scatter__src, at::_ops::scatter_src_out,
    at::_ops::scatter_value_out, at::_ops::set_, at::_ops::set__source_Tensor, at::_ops::sort_values,
    at::_ops::sort_values_stable, at::_ops::split_Tensor, at::_ops::split_with_sizes, at::_ops::squeeze__dim,
    at::_ops::t_, at::_ops::topk_values, at::_ops::transpose_, at::_ops::tril_, at::_ops::tril_out, at::_ops::triu_,
    at::_ops::triu_out, at::_ops::unbind_int, at::_ops::unsqueeze_, at::_ops::upsample_linear1d_out,
    at::_ops::upsample_nearest1d_out>;

}  // namespace

void RegisterUnboxedKernelsForWrites() { WritingKernels::Register(); }

}  // namespace fakeprop::fake
