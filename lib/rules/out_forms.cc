#include "lib/rules/out_forms.h"

#include <algorithm>

#include "lib/graph/schema_flags.h"

namespace fakeprop {
namespace {

// Operators that are not tagged pointwise, and whose kernels cast all the same: gradients on a TensorIterator, other names
// of pointwise operators, those that end in a copy into the out tensor (_fft_c2c, cholesky, kron ...), reductions that
// compute in the out tensor's dtype, and cat, whose result takes any dtype.
constexpr std::string_view kCasting[] = {
    "aten::_add_relu", "aten::_chunk_cat", "aten::_compute_linear_combination", "aten::_fft_c2c", "aten::_fft_r2c",
    "aten::_logcumsumexp", "aten::_stack", "aten::addr", "aten::arccos", "aten::arccosh", "aten::arcsin",
    "aten::arcsinh", "aten::arctan", "aten::arctan2", "aten::arctanh", "aten::cat", "aten::cholesky",
    "aten::cholesky_inverse", "aten::cholesky_solve", "aten::column_stack", "aten::concat", "aten::concatenate",
    "aten::diff", "aten::divide", "aten::dstack", "aten::elu_backward", "aten::floor_divide", "aten::gelu_backward",
    "aten::geqrf", "aten::ger", "aten::greater", "aten::greater_equal", "aten::hardshrink_backward",
    "aten::hardsigmoid_backward", "aten::hardtanh_backward", "aten::hstack", "aten::huber_loss", "aten::inner",
    "aten::kron", "aten::leaky_relu_backward", "aten::less", "aten::less_equal", "aten::linalg_cond",
    "aten::linalg_eig", "aten::linalg_eigvals", "aten::linalg_householder_product", "aten::linalg_matrix_power",
    "aten::linalg_matrix_rank", "aten::linalg_pinv", "aten::linalg_tensorinv", "aten::linalg_tensorsolve",
    "aten::logsumexp", "aten::matrix_power", "aten::mse_loss", "aten::mse_loss_backward", "aten::multiply",
    "aten::nanmean", "aten::normal", "aten::not_equal", "aten::orgqr", "aten::outer", "aten::row_stack",
    "aten::smooth_l1_loss", "aten::smooth_l1_loss_backward", "aten::soft_margin_loss_backward",
    "aten::softplus_backward", "aten::softshrink_backward", "aten::stack", "aten::std", "aten::subtract",
    "aten::threshold", "aten::threshold_backward", "aten::true_divide", "aten::var", "aten::vstack",
};

// Single overloads that do.
constexpr std::string_view kCastingOverloads[] = {"aten::clip.Tensor", "aten::max", "aten::min"};

// Pointwise operators that do not. Source: UNARY_OP_CONFIG of ATen/TensorIterator.cpp (cast_common_dtype_to_outputs is off,
// check_all_same_dtype on), lerp's and clamp's configurations (torch 2.13).
constexpr std::string_view kExact[] = {
    "aten::abs", "aten::absolute", "aten::bitwise_not", "aten::ceil", "aten::clamp", "aten::clamp_max",
    "aten::clamp_min", "aten::clip", "aten::conj_physical", "aten::elu", "aten::float_power.Scalar",
    "aten::float_power.Tensor_Scalar", "aten::float_power.Tensor_Tensor", "aten::floor", "aten::frac",
    "aten::frexp.Tensor", "aten::gelu", "aten::hardshrink", "aten::hardsigmoid", "aten::hardtanh", "aten::heaviside",
    "aten::isneginf", "aten::isposinf", "aten::leaky_relu", "aten::lerp.Tensor", "aten::mish", "aten::nan_to_num",
    "aten::neg", "aten::negative", "aten::round", "aten::round.decimals", "aten::sgn", "aten::sign", "aten::signbit",
    "aten::silu", "aten::softplus", "aten::softshrink", "aten::special_round", "aten::trunc", "aten::where.self",
};

// Operators of LibTorch's own out= kernels that compute a tensor, resize the out tensor to its sizes and copy.
constexpr std::string_view kCopying[] = {
    "aten::_fft_c2c", "aten::_fft_c2r", "aten::_fft_r2c", "aten::diff", "aten::kron", "aten::geqrf", "aten::ormqr",
    "aten::linalg_householder_product", "aten::native_batch_norm", "aten::float_power", "aten::cholesky",
    "aten::cholesky_inverse", "aten::cholesky_solve", "aten::_native_batch_norm_legit", "aten::binary_cross_entropy",
    "aten::binary_cross_entropy_backward",
};

template <size_t N>
bool IsOneOf(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Transforms whose result is real: a complex out tensor is refused (at::native fft_c2r_maybe_out).
bool IsRealTransform(std::string_view name) {
  return name == "aten::_fft_c2r" || name.starts_with("aten::fft_irfft") || name.starts_with("aten::fft_hfft");
}

}  // namespace

OutDtype OutDtypeOf(const Schema& out_form, const Schema& functional) {
  // Generated forms check, and copy.
  if (out_form.Has(kTagGenerated) || IsOneOf(functional.full_name, kExact)) return OutDtype::kExact;
  // The transforms themselves end in copy_, which converts anything.
  if (functional.name == "aten::_fft_c2c" || functional.name == "aten::_fft_r2c") return OutDtype::kAny;
  if (functional.name == "aten::_fft_c2r") return OutDtype::kAnyReal;
  if (IsRealTransform(functional.name)) return OutDtype::kCastReal;
  const bool casts = functional.Has(kTagPointwise) || IsOneOf(functional.name, kCasting) ||
                     IsOneOf(functional.full_name, kCastingOverloads) ||
                     // The other names of pointwise operators and of logsumexp.
                     functional.name.starts_with("aten::special_") || functional.name.starts_with("aten::fft_");
  return casts ? OutDtype::kCast : OutDtype::kExact;
}

bool CopiesIntoOut(const Schema& functional) { return functional.full_name == "aten::split_copy.Tensor"; }

bool KeepsStridesInOut(const Schema& out_form, const Schema& functional) {
  if (out_form.Has(kTagGenerated) || functional.name.starts_with("aten::fft_")) return false;
  return !IsOneOf(functional.name, kCopying);
}

}  // namespace fakeprop
