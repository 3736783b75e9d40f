// Elementary and special functions: floating-point results, elementwise over their operands.
// Source: aten/src/ATen/native/UnaryOps.cpp, BinaryOps.cpp; torch/_refs/special (torch 2.13).
#include "lib/rules/checked_pointwise.h"
#include "lib/rules/families.h"

namespace fakeprop {
namespace {

using enum Promotion;

void PolyGamma(Call& call) {
  if (call.Int(0) < 0) FailValue(call, "takes an order of at least 0, not " + ToString(call.Arg(0)));
  Checked<Takes::kNotComplex, kIntToFloat, 1>(call);
}

void MultiGammaLn(Call& call) {
  if (call.Int(1) < 1) FailValue(call, "takes p of at least 1, not " + ToString(call.Arg(1)));
  RequireNotComplex(call, call.Meta(0).dtype);
  // A sum over a new last dimension, hence dense.
  ReturnContiguous(call, call.Meta(0).size_span(), ApplyPromotion(call.Meta(0).dtype, kIntToFloat, call.state()));
}

constexpr Rule kElementary = Pointwise<kIntToFloat, 0>;
constexpr Rule kReal = Checked<Takes::kNotComplex, kIntToFloat, 0>;
constexpr Rule kRealBinary = Checked<Takes::kNotComplex, kIntToFloat, 0, 1>;
constexpr Rule kFloatBinary = Checked<Takes::kFloat, kDefault, 0, 1>;

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
    {"aten::tanh", kElementary},
    {"aten::asin", kElementary},
    {"aten::acos", kElementary},
    {"aten::atan", kElementary},
    {"aten::asinh", kElementary},
    {"aten::acosh", kElementary},
    {"aten::atanh", kElementary},
    {"aten::arcsin", kElementary},
    {"aten::arccos", kElementary},
    {"aten::arctan", kElementary},
    {"aten::arcsinh", kElementary},
    {"aten::arccosh", kElementary},
    {"aten::arctanh", kElementary},
    {"aten::sigmoid", kElementary},
    {"aten::sinc", kElementary},
    {"aten::special_sinc", kElementary},
    {"aten::special_expit", kElementary},
    {"aten::special_exp2", kElementary},
    {"aten::special_expm1", kElementary},
    {"aten::special_log1p", kElementary},
    {"aten::erf", kReal},
    {"aten::erfc", kReal},
    {"aten::erfinv", kReal},
    {"aten::special_erf", kReal},
    {"aten::special_erfc", kReal},
    {"aten::special_erfinv", kReal},
    {"aten::special_erfcx", kReal},
    {"aten::lgamma", kReal},
    {"aten::special_gammaln", kReal},
    {"aten::digamma", kReal},
    {"aten::special_digamma", kReal},
    {"aten::special_psi", kReal},
    {"aten::i0", kReal},
    {"aten::special_i0", kReal},
    {"aten::special_i0e", kReal},
    {"aten::special_i1", kReal},
    {"aten::special_i1e", kReal},
    {"aten::special_entr", kReal},
    {"aten::special_ndtr", kReal},
    {"aten::special_ndtri", kReal},
    {"aten::special_log_ndtr", kReal},
    {"aten::special_airy_ai", kReal},
    {"aten::special_bessel_j0", kReal},
    {"aten::special_bessel_j1", kReal},
    {"aten::special_bessel_y0", kReal},
    {"aten::special_bessel_y1", kReal},
    {"aten::special_modified_bessel_i0", kReal},
    {"aten::special_modified_bessel_i1", kReal},
    {"aten::special_modified_bessel_k0", kReal},
    {"aten::special_modified_bessel_k1", kReal},
    {"aten::special_scaled_modified_bessel_k0", kReal},
    {"aten::special_scaled_modified_bessel_k1", kReal},
    {"aten::special_spherical_bessel_j0", kReal},
    {"aten::deg2rad", kReal},
    {"aten::rad2deg", kReal},
    {"aten::logit", kReal},
    {"aten::special_logit", kReal},
    {"aten::polygamma", PolyGamma},
    {"aten::special_polygamma", PolyGamma},
    {"aten::mvlgamma", MultiGammaLn},
    {"aten::special_multigammaln", MultiGammaLn},
    {"aten::xlogy.Tensor", kRealBinary},
    {"aten::xlogy.Scalar_Self", kRealBinary},
    {"aten::xlogy.Scalar_Other", kRealBinary},
    {"aten::special_xlogy", kRealBinary},
    {"aten::special_xlogy.self_scalar", kRealBinary},
    {"aten::special_xlogy.other_scalar", kRealBinary},
    {"aten::special_xlog1py", kRealBinary},
    {"aten::special_xlog1py.self_scalar", kRealBinary},
    {"aten::special_xlog1py.other_scalar", kRealBinary},
    {"aten::special_zeta", kRealBinary},
    {"aten::special_zeta.self_scalar", kRealBinary},
    {"aten::special_zeta.other_scalar", kRealBinary},
    {"aten::igamma", kFloatBinary},
    {"aten::igammac", kFloatBinary},
    {"aten::special_gammainc", kFloatBinary},
    {"aten::special_gammaincc", kFloatBinary},
    {"aten::special_chebyshev_polynomial_t", kRealBinary},
    {"aten::special_chebyshev_polynomial_t.x_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_t.n_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_u", kRealBinary},
    {"aten::special_chebyshev_polynomial_u.x_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_u.n_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_v", kRealBinary},
    {"aten::special_chebyshev_polynomial_v.x_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_v.n_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_w", kRealBinary},
    {"aten::special_chebyshev_polynomial_w.x_scalar", kRealBinary},
    {"aten::special_chebyshev_polynomial_w.n_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_t", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_t.x_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_t.n_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_u", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_u.x_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_u.n_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_v", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_v.x_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_v.n_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_w", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_w.x_scalar", kRealBinary},
    {"aten::special_shifted_chebyshev_polynomial_w.n_scalar", kRealBinary},
    {"aten::special_hermite_polynomial_h", kRealBinary},
    {"aten::special_hermite_polynomial_h.x_scalar", kRealBinary},
    {"aten::special_hermite_polynomial_h.n_scalar", kRealBinary},
    {"aten::special_hermite_polynomial_he", kRealBinary},
    {"aten::special_hermite_polynomial_he.x_scalar", kRealBinary},
    {"aten::special_hermite_polynomial_he.n_scalar", kRealBinary},
    {"aten::special_laguerre_polynomial_l", kRealBinary},
    {"aten::special_laguerre_polynomial_l.x_scalar", kRealBinary},
    {"aten::special_laguerre_polynomial_l.n_scalar", kRealBinary},
    {"aten::special_legendre_polynomial_p", kRealBinary},
    {"aten::special_legendre_polynomial_p.x_scalar", kRealBinary},
    {"aten::special_legendre_polynomial_p.n_scalar", kRealBinary},
};

}  // namespace

RuleRows SpecialRules() { return kRows; }

}  // namespace fakeprop
