// Special functions: gamma, error and Bessel functions, orthogonal polynomials; the special_* names of others.
// Source: torch/_refs/special/__init__.py, aten/src/ATen/native/{UnaryOps,BinaryOps}.cpp (torch 2.13). Integers compute
// in the default float dtype; complex numbers have kernels for a few functions only.
#include "lib/meta/dtype.h"
#include "lib/rules/accepts.h"
#include "lib/rules/families.h"
#include "lib/rules/results.h"

namespace fakeprop {
namespace {

using enum Promotion;

constexpr Rule Function = Pointwise<kIntToFloat, 0>;
constexpr Rule RealFunction = PointwiseOf<kIntToFloat, Accepts::kReal, 0>;
constexpr Rule RealFunction2 = PointwiseOf<kIntToFloat, Accepts::kReal, 0, 1>;
constexpr Rule RoundDecimals = PointwiseOf<kDefault, Accepts::kFloat, 0>;

// (n, self)
void Polygamma(Call& call) {
  if (call.Int(0) < 0) FailValue(call, "does not support a negative n, " + std::to_string(call.Int(0)));
  PointwiseOf<kIntToFloat, Accepts::kReal, 1>(call);
}

// A sum over a dimension that it adds itself, hence contiguous whatever the input is. Source: at::native::mvlgamma.
void MultivariateLgamma(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  RequireAccepted(call, Accepts::kReal, dtype);
  if (call.Int(1) < 1) FailValue(call, "needs a p of at least 1, not " + std::to_string(call.Int(1)));
  ReturnContiguous(call, call.Meta(0).size_span(), ApplyPromotion(dtype, kIntToFloat, call.state()));
}

constexpr RuleRow kRows[] = {
    {"aten::special_digamma", RealFunction},
    {"aten::special_psi", RealFunction},
    {"aten::special_gammaln", RealFunction},
    {"aten::special_erfc", RealFunction},
    {"aten::special_erfinv", RealFunction},
    {"aten::special_erfcx", RealFunction},
    {"aten::special_erf", RealFunction},
    {"aten::special_entr", RealFunction},
    {"aten::special_ndtr", RealFunction},
    {"aten::special_ndtri", RealFunction},
    {"aten::special_log_ndtr", RealFunction},
    {"aten::special_i0", RealFunction},
    {"aten::special_i0e", RealFunction},
    {"aten::special_i1", RealFunction},
    {"aten::special_i1e", RealFunction},
    {"aten::special_airy_ai", RealFunction},
    {"aten::special_bessel_j0", RealFunction},
    {"aten::special_bessel_j1", RealFunction},
    {"aten::special_bessel_y0", RealFunction},
    {"aten::special_bessel_y1", RealFunction},
    {"aten::special_modified_bessel_i0", RealFunction},
    {"aten::special_modified_bessel_i1", RealFunction},
    {"aten::special_modified_bessel_k0", RealFunction},
    {"aten::special_modified_bessel_k1", RealFunction},
    {"aten::special_scaled_modified_bessel_k0", RealFunction},
    {"aten::special_scaled_modified_bessel_k1", RealFunction},
    {"aten::special_spherical_bessel_j0", RealFunction},
    {"aten::special_logit", RealFunction},
    {"aten::digamma", RealFunction},
    {"aten::lgamma", RealFunction},
    {"aten::erfc", RealFunction},
    {"aten::erfinv", RealFunction},
    {"aten::i0", RealFunction},
    {"aten::logit", RealFunction},
    {"aten::special_exp2", Function},
    {"aten::special_expit", Function},
    {"aten::special_expm1", Function},
    {"aten::special_log1p", Function},
    {"aten::special_sinc", Function},
    {"aten::exp2", Function},
    {"aten::sinc", Function},
    {"aten::polygamma", Polygamma},
    {"aten::special_polygamma", Polygamma},
    {"aten::mvlgamma", MultivariateLgamma},
    {"aten::special_multigammaln", MultivariateLgamma},
    {"aten::special_round", RoundDecimals},
    {"aten::round.decimals", RoundDecimals},
    {"aten::special_chebyshev_polynomial_t", RealFunction2},
    {"aten::special_chebyshev_polynomial_t.x_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_t.n_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_u", RealFunction2},
    {"aten::special_chebyshev_polynomial_u.x_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_u.n_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_v", RealFunction2},
    {"aten::special_chebyshev_polynomial_v.x_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_v.n_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_w", RealFunction2},
    {"aten::special_chebyshev_polynomial_w.x_scalar", RealFunction2},
    {"aten::special_chebyshev_polynomial_w.n_scalar", RealFunction2},
    {"aten::special_hermite_polynomial_h", RealFunction2},
    {"aten::special_hermite_polynomial_h.x_scalar", RealFunction2},
    {"aten::special_hermite_polynomial_h.n_scalar", RealFunction2},
    {"aten::special_hermite_polynomial_he", RealFunction2},
    {"aten::special_hermite_polynomial_he.x_scalar", RealFunction2},
    {"aten::special_hermite_polynomial_he.n_scalar", RealFunction2},
    {"aten::special_laguerre_polynomial_l", RealFunction2},
    {"aten::special_laguerre_polynomial_l.x_scalar", RealFunction2},
    {"aten::special_laguerre_polynomial_l.n_scalar", RealFunction2},
    {"aten::special_legendre_polynomial_p", RealFunction2},
    {"aten::special_legendre_polynomial_p.x_scalar", RealFunction2},
    {"aten::special_legendre_polynomial_p.n_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_t", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_t.x_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_t.n_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_u", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_u.x_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_u.n_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_v", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_v.x_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_v.n_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_w", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_w.x_scalar", RealFunction2},
    {"aten::special_shifted_chebyshev_polynomial_w.n_scalar", RealFunction2},
    {"aten::special_zeta", RealFunction2},
    {"aten::special_zeta.self_scalar", RealFunction2},
    {"aten::special_zeta.other_scalar", RealFunction2},
    {"aten::special_xlog1py", RealFunction2},
    {"aten::special_xlog1py.self_scalar", RealFunction2},
    {"aten::special_xlog1py.other_scalar", RealFunction2},
    {"aten::special_xlogy", RealFunction2},
    {"aten::special_xlogy.self_scalar", RealFunction2},
    {"aten::special_xlogy.other_scalar", RealFunction2},
    {"aten::xlogy.Tensor", RealFunction2},
    {"aten::xlogy.Scalar_Self", RealFunction2},
    {"aten::xlogy.Scalar_Other", RealFunction2},
    {"aten::igamma", PointwiseOf<kDefault, Accepts::kFloat, 0, 1>},
    {"aten::igammac", PointwiseOf<kDefault, Accepts::kFloat, 0, 1>},
    {"aten::special_gammainc", PointwiseOf<kDefault, Accepts::kFloat, 0, 1>},
    {"aten::special_gammaincc", PointwiseOf<kDefault, Accepts::kFloat, 0, 1>},
};

}  // namespace

RuleRows SpecialRules() { return kRows; }

}  // namespace fakeprop
