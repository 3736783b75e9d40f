#include "lib/rules/derived/out_forms.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/schema/schema_flags.h"

namespace fakeprop {
namespace {

// Operators that are not tagged pointwise, and whose kernels cast all the same: gradients on a TensorIterator, other
// names of pointwise operators, those that end in a copy into the out tensor (_fft_c2c, cholesky, kron ...), reductions
// that compute in the out tensor's dtype, and cat, whose result takes any dtype.
constexpr std::string_view kCasting[] = {"aten::_add_relu", "aten::_chunk_cat", "aten::_stack", "aten::addr",
    "aten::arccos", "aten::arccosh", "aten::arcsin", "aten::arcsinh", "aten::arctan", "aten::arctan2", "aten::arctanh",
    "aten::bernoulli", "aten::cat", "aten::cholesky", "aten::cholesky_inverse", "aten::cholesky_solve", "aten::col2im",
    "aten::column_stack", "aten::concat", "aten::concatenate", "aten::divide", "aten::dstack", "aten::elu_backward",
    "aten::floor_divide", "aten::gelu_backward", "aten::geqrf", "aten::ger", "aten::glu", "aten::greater",
    "aten::greater_equal", "aten::hardshrink_backward", "aten::hardsigmoid_backward", "aten::hardtanh_backward",
    "aten::hstack", "aten::huber_loss", "aten::im2col", "aten::inner", "aten::kron", "aten::leaky_relu_backward",
    "aten::less", "aten::less_equal", "aten::linalg_cond", "aten::linalg_eig", "aten::linalg_eigvals",
    "aten::linalg_householder_product", "aten::linalg_matrix_rank", "aten::linalg_pinv", "aten::linalg_tensorinv",
    "aten::linalg_tensorsolve", "aten::logsumexp", "aten::mse_loss", "aten::mse_loss_backward", "aten::multiply",
    "aten::nanmean", "aten::normal", "aten::not_equal", "aten::orgqr", "aten::outer", "aten::reflection_pad2d_backward",
    "aten::replication_pad2d_backward", "aten::replication_pad3d_backward", "aten::row_stack", "aten::smooth_l1_loss",
    "aten::smooth_l1_loss_backward", "aten::soft_margin_loss_backward", "aten::softplus_backward",
    "aten::softshrink_backward", "aten::stack", "aten::std", "aten::subtract", "aten::threshold",
    "aten::threshold_backward", "aten::true_divide", "aten::var", "aten::vstack"};

// Single overloads that do.
constexpr std::string_view kCastingOverloads[] = {"aten::clip.Tensor", "aten::max", "aten::min"};

// Pointwise operators that do not. Source: UNARY_OP_CONFIG of ATen/TensorIterator.cpp (cast_common_dtype_to_outputs is
// off, check_all_same_dtype on), lerp's and clamp's configurations (torch 2.13).
constexpr std::string_view kExact[] = {"aten::abs", "aten::absolute", "aten::bitwise_not", "aten::ceil", "aten::clamp",
    "aten::clamp_max", "aten::clamp_min", "aten::clip", "aten::conj_physical", "aten::elu", "aten::float_power.Scalar",
    "aten::float_power.Tensor_Scalar", "aten::float_power.Tensor_Tensor", "aten::floor", "aten::frac",
    "aten::frexp.Tensor", "aten::gelu", "aten::hardshrink", "aten::hardsigmoid", "aten::hardtanh", "aten::heaviside",
    "aten::isneginf", "aten::isposinf", "aten::leaky_relu", "aten::lerp.Tensor", "aten::mish", "aten::nan_to_num",
    "aten::neg", "aten::negative", "aten::round", "aten::round.decimals", "aten::sgn", "aten::sign", "aten::signbit",
    "aten::silu", "aten::softplus", "aten::softshrink", "aten::special_round", "aten::trunc", "aten::where.self"};

// Operators of LibTorch's own out= kernels that compute a tensor, resize the out tensor to its sizes and copy.
constexpr std::string_view kCopying[] = {"aten::_fft_c2c", "aten::_fft_c2r", "aten::_fft_r2c",
    "aten::_native_batch_norm_legit", "aten::binary_cross_entropy", "aten::binary_cross_entropy_backward",
    "aten::chain_matmul", "aten::cholesky", "aten::cholesky_inverse", "aten::cholesky_solve", "aten::diff",
    "aten::float_power", "aten::linalg_eig", "aten::linalg_householder_product", "aten::linalg_matrix_power",
    "aten::linalg_tensorinv", "aten::linalg_tensorsolve", "aten::log_sigmoid", "aten::log_sigmoid_forward",
    "aten::matrix_power", "aten::nanquantile", "aten::native_batch_norm", "aten::ormqr", "aten::quantile"};

// Operators whose out tensor takes the result's strides in FakeTensorMode as well: there all others are made
// contiguous.
constexpr std::string_view kKeepingEverywhere[] = {"aten::_linalg_solve_ex", "aten::_linalg_svd", "aten::argsort",
    "aten::hardshrink_backward", "aten::index", "aten::inverse", "aten::linalg_cholesky", "aten::linalg_cholesky_ex",
    "aten::linalg_inv", "aten::linalg_svd", "aten::logit_backward", "aten::msort", "aten::softshrink_backward",
    "aten::sort"};

// Operators whose kernels write to what shares memory with itself.
constexpr std::string_view kOverlapping[] = {"aten::_adaptive_avg_pool3d", "aten::_softmax",
    "aten::_upsample_bilinear2d_aa", "aten::adaptive_max_pool3d", "aten::adaptive_max_pool3d_backward", "aten::all",
    "aten::amax", "aten::amin", "aten::any", "aten::argmax", "aten::argmin", "aten::avg_pool3d_backward", "aten::bmm",
    "aten::cummax", "aten::cummin", "aten::empty", "aten::eye", "aten::fractional_max_pool2d",
    "aten::fractional_max_pool2d_backward", "aten::frobenius_norm", "aten::full", "aten::hash_tensor", "aten::im2col",
    "aten::linalg_matmul", "aten::linalg_matrix_rank", "aten::linalg_multi_dot", "aten::linalg_vecdot",
    "aten::linalg_vector_norm", "aten::lu_unpack", "aten::max_unpool2d", "aten::multilabel_margin_loss",
    "aten::multinomial", "aten::mv", "aten::nansum", "aten::narrow_copy", "aten::nll_loss", "aten::nll_loss2d",
    "aten::nll_loss_backward", "aten::norm", "aten::ones", "aten::prod", "aten::randperm", "aten::reflection_pad2d",
    "aten::reflection_pad2d_backward", "aten::reflection_pad3d_backward", "aten::replication_pad2d",
    "aten::replication_pad2d_backward", "aten::replication_pad3d", "aten::slow_conv_transpose2d",
    "aten::slow_conv_transpose3d", "aten::std", "aten::sum", "aten::thnn_conv2d", "aten::threshold",
    "aten::threshold_backward", "aten::tril", "aten::triu", "aten::upsample_bicubic2d_backward", "aten::var",
    "aten::zeros"};

template <size_t N>
bool IsOneOf(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Transforms whose result is real: a complex out tensor is refused (at::native fft_c2r_maybe_out).
bool IsRealTransform(std::string_view name) {
  return name.starts_with("aten::fft_irfft") || name.starts_with("aten::fft_hfft");
}

bool IsMatrixPower(std::string_view name) {
  return name == "aten::linalg_matrix_power" || name == "aten::matrix_power";
}

// Whether the last step to the power is no product, which would be computed in the out tensor.
// Source: linalg_matrix_power_impl.
bool CopiesPower(int64_t n) {
  const uint64_t power = n < 0 ? -static_cast<uint64_t>(n) : n;
  const bool is_power_of_two = (power & (power - 1)) == 0;
  return n == 0 || n == 1 || (power > 3 && is_power_of_two);
}

// Products of sums are computed in the out tensor, those by a number elementwise (at::native::inner_out).
bool IsInnerProduct(const Call& call, std::string_view name) {
  return name == "aten::inner" && call.Meta(0).rank() > 0 && call.Meta(1).rank() > 0;
}

// Whether geqrf.a computes in its out tensors, empty ones that it makes to measure, or copies into them.
// Source: at::native::geqrf_out.
bool IsFactoredInPlace(const Call& call) {
  const TensorMeta &input = call.Meta(0), &a = call.Meta(1), &tau = call.Meta(2);
  if (!IsEmpty(a)) return false;
  const int64_t rank = input.rank();
  const bool fits =
      tau.rank() == rank - 1 && GuardOrFalse(Eq(tau.sizes.back(), Min(input.sizes[rank - 2], input.sizes[rank - 1])));
  return fits || IsEmpty(tau);
}

// The absolute value of complex numbers is computed apart and copied. Source: unary_op_impl_with_complex_to_float_out.
bool IsComplexAbs(const Call& call, std::string_view name) {
  return (name == "aten::abs" || name == "aten::absolute") && IsComplex(call.Meta(0).dtype);
}

// Those that end in copy_, which converts anything.
bool EndsInCopy(const Call& call, std::string_view name) {
  // A product of one matrix is a copy of it.
  if (name == "aten::chain_matmul") return call.Tensors(0).size() == 1;
  return name == "aten::_fft_c2c" || name == "aten::_fft_r2c" || name == "aten::_fft_c2r" ||
         name == "aten::_logcumsumexp";
}

}  // namespace

OutDtype OutDtypeOf(const Call& call, const Schema& functional) {
  // Generated forms check, and copy.
  if (call.schema().Has(kTagGenerated)) return OutDtype::kExact;
  if (IsComplexAbs(call, functional.name)) return OutDtype::kCast;
  if (IsOneOf(functional.full_name, kExact)) return OutDtype::kExact;
  // FakeTensorMode, which speaks for other devices, asks that the result can be cast.
  if (EndsInCopy(call, functional.name))
    return call.device().is_cpu() || functional.name == "aten::chain_matmul" ? OutDtype::kAny : OutDtype::kCast;
  if (IsMatrixPower(functional.name)) return CopiesPower(call.Int(1)) ? OutDtype::kCast : OutDtype::kExact;
  if (IsInnerProduct(call, functional.name)) return OutDtype::kExact;
  // Of order 0 the tensor itself is copied (at::native diff_out_helper).
  if (functional.name == "aten::diff") return GuardOrFalse(Eq(call.DimArg(1), 0)) ? OutDtype::kExact : OutDtype::kCast;
  if (IsRealTransform(functional.name)) return OutDtype::kCastReal;
  const bool casts = functional.Has(kTagPointwise) || IsOneOf(functional.name, kCasting) ||
                     IsOneOf(functional.full_name, kCastingOverloads) ||
                     // The other names of pointwise operators and of logsumexp.
                     functional.name.starts_with("aten::special_") || functional.name.starts_with("aten::fft_");
  return casts ? OutDtype::kCast : OutDtype::kExact;
}

bool CopiesIntoOut(const Schema& functional) { return functional.full_name == "aten::split_copy.Tensor"; }

bool KeepsStridesInOut(const Call& call, const Schema& functional, const TensorMeta& out) {
  if (call.schema().Has(kTagGenerated) || functional.name.starts_with("aten::fft_")) return false;
  // Only the cpu's kernels were there to be asked; for others it is FakeTensorMode that speaks.
  if (!out.device.is_cpu()) return IsOneOf(functional.name, kKeepingEverywhere);
  if (functional.name == "aten::geqrf") return IsFactoredInPlace(call);
  return !IsOneOf(functional.name, kCopying) && !IsComplexAbs(call, functional.name);
}

bool MayOverlapInOut(const Schema& out_form, const Schema& functional) {
  return !out_form.Has(kTagGenerated) && IsOneOf(functional.name, kOverlapping);
}

}  // namespace fakeprop
