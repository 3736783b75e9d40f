// Elementary and special functions: floating-point results, elementwise over their operands.
// Source: aten/src/ATen/native/UnaryOps.cpp, BinaryOps.cpp; torch/_refs/special (torch 2.13).
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

void PolyGamma(Call& call) {
  RequireValue(call, call.Int("n") >= 0, {"takes an order of at least 0, not {}", call.Arg("n")});
  Checked<kNotComplex, kIntToFloat, "self">(call);
}

void MultiGammaLn(Call& call) {
  RequireValue(call, call.Int("p") >= 1, {"takes p of at least 1, not {}", call.Arg("p")});
  const Operand self = call.In("self").Takes(kNotComplex);
  self.Takes(kNotBool, "takes no bool tensor: the input tensor may not be a boolean tensor");
  // PyTorch sums over a new last dimension, so that the result is dense.
  ReturnContiguous(call, self, ApplyPromotion(self->dtype, kIntToFloat, call.state()));
}

constexpr Rule kElementary = Pointwise<kIntToFloat, "self">;
constexpr Rule kRealUnary = Checked<kNotComplex, kIntToFloat, "self">;
constexpr Rule kRealUnaryOfX = Checked<kNotComplex, kIntToFloat, "x">;
constexpr Rule kRealBinary = Checked<kNotComplex, kIntToFloat, "self", "other">;
constexpr Rule kFloatBinary = Checked<kFloating, kDefault, "self", "other">;
constexpr Rule kPolynomial = Checked<kNotComplex, kIntToFloat, "x", "n">;

void ConvertAngle(Call& call) {
  const Operand self = call.In("self").Takes(kNotComplex);
  ReturnLike(call, self, ApplyPromotion(self->dtype, kIntToFloat, call.state()));
}

constexpr RuleRow kRows[] = {
    {"aten::sqrt", kElementary},
    {"aten::rsqrt", kElementary},
    {"aten::reciprocal", kElementary},
    {"aten::exp", kElementary},
    {"aten::exp2", kElementary},
    {"aten::expm1", kElementary},
    {"aten::log", kElementary},
    {"aten::log1p", kElementary},
    {"aten::log2", kElementary},
    {"aten::log10", kElementary},
    {"aten::sin", kElementary},
    {"aten::cos", kElementary},
    {"aten::tan", kElementary},
    {"aten::sinh", kElementary},
    {"aten::cosh", kElementary},
    {"aten::tanh", OrSuggested<kElementary>},
    {"aten::asin", kElementary},
    {"aten::acos", kElementary},
    {"aten::atan", kElementary},
    {"aten::asinh", kElementary},
    {"aten::acosh", kElementary},
    {"aten::atanh", kElementary},
    {"aten::arcsin", kElementary, kUntagged},
    {"aten::arccos", kElementary, kUntagged},
    {"aten::arctan", kElementary, kUntagged},
    {"aten::arcsinh", kElementary, kUntagged},
    {"aten::arccosh", kElementary, kUntagged},
    {"aten::arctanh", kElementary, kUntagged},
    {"aten::sigmoid", OrSuggested<kElementary>},
    {"aten::sinc", kElementary},
    {"aten::special_sinc", kElementary, kUntagged},
    {"aten::special_expit", kElementary, kUntagged},
    {"aten::special_exp2", kElementary, kUntagged},
    {"aten::special_expm1", kElementary, kUntagged},
    {"aten::special_log1p", kElementary, kUntagged},
    {"aten::erf", kRealUnary},
    {"aten::erfc", kRealUnary},
    {"aten::erfinv", kRealUnary},
    {"aten::special_erf", kRealUnary, kUntagged},
    {"aten::special_erfc", kRealUnary, kUntagged},
    {"aten::special_erfinv", kRealUnary, kUntagged},
    {"aten::special_erfcx", kRealUnary},
    {"aten::lgamma", kRealUnary},
    {"aten::special_gammaln", kRealUnary, kUntagged},
    {"aten::digamma", kRealUnary},
    {"aten::special_digamma", kRealUnary, kUntagged},
    {"aten::special_psi", kRealUnary, kUntagged},
    {"aten::i0", kRealUnary},
    {"aten::special_i0", kRealUnary, kUntagged},
    {"aten::special_i0e", kRealUnary},
    {"aten::special_i1", kRealUnary},
    {"aten::special_i1e", kRealUnary},
    {"aten::special_entr", kRealUnary},
    {"aten::special_ndtr", kRealUnary, OutDtype::kCast},
    {"aten::special_ndtri", kRealUnary},
    {"aten::special_log_ndtr", kRealUnary},
    {"aten::special_airy_ai", kRealUnaryOfX},
    {"aten::special_bessel_j0", kRealUnary},
    {"aten::special_bessel_j1", kRealUnary},
    {"aten::special_bessel_y0", kRealUnary},
    {"aten::special_bessel_y1", kRealUnary},
    {"aten::special_modified_bessel_i0", kRealUnary},
    {"aten::special_modified_bessel_i1", kRealUnary},
    {"aten::special_modified_bessel_k0", kRealUnary},
    {"aten::special_modified_bessel_k1", kRealUnary},
    {"aten::special_scaled_modified_bessel_k0", kRealUnaryOfX},
    {"aten::special_scaled_modified_bessel_k1", kRealUnaryOfX},
    {"aten::special_spherical_bessel_j0", kRealUnaryOfX},
    {"aten::deg2rad", ConvertAngle},
    {"aten::rad2deg", ConvertAngle},
    {"aten::logit", kRealUnary},
    {"aten::special_logit", kRealUnary, kUntagged},
    {"aten::polygamma", PolyGamma},
    {"aten::special_polygamma", PolyGamma, kUntagged},
    {"aten::mvlgamma", MultiGammaLn, ReadsWritten::kAll},
    {"aten::special_multigammaln", MultiGammaLn, OutDtype::kCast},
    {"aten::xlogy.Tensor", kRealBinary},
    {"aten::xlogy.Scalar_Self", kRealBinary},
    {"aten::xlogy.Scalar_Other", kRealBinary},
    {"aten::special_xlogy", kRealBinary, kUntagged},
    {"aten::special_xlogy.self_scalar", kRealBinary, kUntagged},
    {"aten::special_xlogy.other_scalar", kRealBinary, kUntagged},
    {"aten::special_xlog1py", kRealBinary},
    {"aten::special_xlog1py.self_scalar", kRealBinary},
    {"aten::special_xlog1py.other_scalar", kRealBinary},
    {"aten::special_zeta", kRealBinary},
    {"aten::special_zeta.self_scalar", kRealBinary},
    {"aten::special_zeta.other_scalar", kRealBinary},
    {"aten::igamma", kFloatBinary},
    {"aten::igammac", kFloatBinary},
    {"aten::special_gammainc", kFloatBinary, kUntagged},
    {"aten::special_gammaincc", kFloatBinary, kUntagged},
    {"aten::special_chebyshev_polynomial_t", kPolynomial},
    {"aten::special_chebyshev_polynomial_t.x_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_t.n_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_u", kPolynomial},
    {"aten::special_chebyshev_polynomial_u.x_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_u.n_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_v", kPolynomial},
    {"aten::special_chebyshev_polynomial_v.x_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_v.n_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_w", kPolynomial},
    {"aten::special_chebyshev_polynomial_w.x_scalar", kPolynomial},
    {"aten::special_chebyshev_polynomial_w.n_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_t", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_t.x_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_t.n_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_u", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_u.x_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_u.n_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_v", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_v.x_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_v.n_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_w", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_w.x_scalar", kPolynomial},
    {"aten::special_shifted_chebyshev_polynomial_w.n_scalar", kPolynomial},
    {"aten::special_hermite_polynomial_h", kPolynomial},
    {"aten::special_hermite_polynomial_h.x_scalar", kPolynomial},
    {"aten::special_hermite_polynomial_h.n_scalar", kPolynomial},
    {"aten::special_hermite_polynomial_he", kPolynomial},
    {"aten::special_hermite_polynomial_he.x_scalar", kPolynomial},
    {"aten::special_hermite_polynomial_he.n_scalar", kPolynomial},
    {"aten::special_laguerre_polynomial_l", kPolynomial},
    {"aten::special_laguerre_polynomial_l.x_scalar", kPolynomial},
    {"aten::special_laguerre_polynomial_l.n_scalar", kPolynomial},
    {"aten::special_legendre_polynomial_p", kPolynomial},
    {"aten::special_legendre_polynomial_p.x_scalar", kPolynomial},
    {"aten::special_legendre_polynomial_p.n_scalar", kPolynomial},
};

}  // namespace

RuleRows SpecialRules() { return kRows; }

}  // namespace fakeprop::rules
