// Unboxed kernels of the operators that programs, and the parts of composites, call most; and of those that return
// several tensors.
#include "lib/fake/unboxed_kernel.h"

#include <ATen/ops/_linalg_det_ops.h>
#include <ATen/ops/_linalg_eigh_ops.h>
#include <ATen/ops/_linalg_slogdet_ops.h>
#include <ATen/ops/_linalg_solve_ex_ops.h>
#include <ATen/ops/_linalg_svd_ops.h>
#include <ATen/ops/_log_softmax_backward_data_ops.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_reshape_alias_ops.h>
#include <ATen/ops/_softmax_backward_data_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/_to_copy_ops.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/addmv_ops.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/amin_ops.h>
#include <ATen/ops/aminmax_ops.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/diagonal_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/embedding_dense_backward_ops.h>
#include <ATen/ops/embedding_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/expand_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/full_like_ops.h>
#include <ATen/ops/gather_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/index_add_ops.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_put_ops.h>
#include <ATen/ops/index_reduce_ops.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/isin_ops.h>
#include <ATen/ops/linalg_cholesky_ex_ops.h>
#include <ATen/ops/linalg_inv_ex_ops.h>
#include <ATen/ops/linalg_lu_factor_ex_ops.h>
#include <ATen/ops/linalg_lu_ops.h>
#include <ATen/ops/linalg_lu_solve_ops.h>
#include <ATen/ops/linalg_qr_ops.h>
#include <ATen/ops/linalg_solve_triangular_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/logical_not_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/lu_unpack_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/max_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/min_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/new_empty_ops.h>
#include <ATen/ops/new_empty_strided_ops.h>
#include <ATen/ops/new_full_ops.h>
#include <ATen/ops/new_ones_ops.h>
#include <ATen/ops/new_zeros_ops.h>
#include <ATen/ops/norm_ops.h>
#include <ATen/ops/ones_like_ops.h>
#include <ATen/ops/permute_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/scatter_add_ops.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/scatter_reduce_ops.h>
#include <ATen/ops/select_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/sort_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/squeeze_ops.h>
#include <ATen/ops/stack_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/topk_ops.h>
#include <ATen/ops/transpose_ops.h>
#include <ATen/ops/tril_ops.h>
#include <ATen/ops/triu_ops.h>
#include <ATen/ops/unfold_ops.h>
#include <ATen/ops/unsqueeze_ops.h>
#include <ATen/ops/var_mean_ops.h>
#include <ATen/ops/view_ops.h>
#include <ATen/ops/where_ops.h>
#include <ATen/ops/zero_ops.h>
#include <ATen/ops/zeros_like_ops.h>

namespace fakeprop::fake {

namespace {

using UsualKernels = UnboxedKernels<at::_ops::_linalg_det, at::_ops::_linalg_det_result, at::_ops::_linalg_eigh,
    at::_ops::_linalg_slogdet, at::_ops::_linalg_solve_ex, at::_ops::_linalg_svd, at::_ops::_linalg_svd_U,
    at::_ops::_log_softmax, at::_ops::_log_softmax_backward_data, at::_ops::_reshape_alias, at::_ops::_softmax,
    at::_ops::_softmax_backward_data, at::_ops::_to_copy, at::_ops::abs, at::_ops::add_Scalar, at::_ops::add_Tensor,
    at::_ops::add__Tensor, at::_ops::addmm, at::_ops::addmv, at::_ops::addmv_, at::_ops::addmv_out, at::_ops::alias,
    at::_ops::all_dims, at::_ops::amax, at::_ops::amax_out, at::_ops::amin, at::_ops::amin_out, at::_ops::aminmax,
    at::_ops::aminmax_out, at::_ops::any_dims, at::_ops::as_strided, at::_ops::baddbmm, at::_ops::bitwise_and_Tensor,
    at::_ops::bmm, at::_ops::cat, at::_ops::clone, at::_ops::copy_, at::_ops::cos, at::_ops::cumsum, at::_ops::diagonal,
    at::_ops::div_Tensor, at::_ops::div__Tensor, at::_ops::dot, at::_ops::embedding, at::_ops::embedding_dense_backward,
    at::_ops::empty_like, at::_ops::eq_Scalar, at::_ops::eq_Tensor, at::_ops::exp, at::_ops::expand,
    at::_ops::fill__Scalar, at::_ops::full_like, at::_ops::gather, at::_ops::gelu, at::_ops::gt_Scalar,
    at::_ops::index_Tensor, at::_ops::index_add, at::_ops::index_copy, at::_ops::index_put_, at::_ops::index_reduce,
    at::_ops::index_select, at::_ops::isin_Scalar_Tensor, at::_ops::isin_Tensor_Tensor, at::_ops::linalg_cholesky_ex,
    at::_ops::linalg_inv_ex, at::_ops::linalg_lu, at::_ops::linalg_lu_factor_ex, at::_ops::linalg_lu_factor_ex_out,
    at::_ops::linalg_lu_out, at::_ops::linalg_lu_solve, at::_ops::linalg_qr, at::_ops::linalg_solve_triangular,
    at::_ops::linalg_vector_norm, at::_ops::linalg_vector_norm_out, at::_ops::log, at::_ops::logical_not,
    at::_ops::lt_Scalar, at::_ops::lu_unpack, at::_ops::lu_unpack_out, at::_ops::masked_fill_Scalar, at::_ops::max_dim,
    at::_ops::mean, at::_ops::mean_dim, at::_ops::min_dim, at::_ops::mm, at::_ops::mul_Scalar, at::_ops::mul_Tensor,
    at::_ops::mul__Tensor, at::_ops::ne_Scalar, at::_ops::neg, at::_ops::new_empty, at::_ops::new_empty_strided,
    at::_ops::new_full, at::_ops::new_ones, at::_ops::new_zeros, at::_ops::norm_ScalarOpt_dim,
    at::_ops::norm_ScalarOpt_dim_dtype, at::_ops::norm_dtype_out, at::_ops::norm_out, at::_ops::ones_like,
    at::_ops::permute, at::_ops::pow_Tensor_Scalar, at::_ops::prod_dim_int, at::_ops::relu, at::_ops::rsqrt,
    at::_ops::scatter_add, at::_ops::scatter_reduce_two, at::_ops::scatter_src, at::_ops::scatter_value,
    at::_ops::select_int, at::_ops::sigmoid, at::_ops::silu, at::_ops::sin, at::_ops::slice_Tensor, at::_ops::sort,
    at::_ops::sort_stable, at::_ops::sqrt, at::_ops::squeeze, at::_ops::squeeze_dim, at::_ops::squeeze_dims,
    at::_ops::stack, at::_ops::sub_Tensor, at::_ops::sum, at::_ops::sum_IntList_out, at::_ops::sum_dim_IntList,
    at::_ops::t, at::_ops::tanh, at::_ops::threshold_backward, at::_ops::topk, at::_ops::transpose_int, at::_ops::tril,
    at::_ops::triu, at::_ops::unfold, at::_ops::unsqueeze, at::_ops::var_mean_correction, at::_ops::view,
    at::_ops::where_self, at::_ops::zero_, at::_ops::zeros_like>;

}  // namespace

void RegisterUnboxedKernels() { UsualKernels::Register(); }

}  // namespace fakeprop::fake
