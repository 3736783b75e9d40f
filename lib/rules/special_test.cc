#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kOneOperand[] = {
    {"special_bessel_j0(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"special_entr(i64[4])", "f32[4]"},
    {"special_psi(f64[2,1,4]{4,4,1})", "f64[2,1,4]"},
    {"special_erfcx(c64[2])", "!DtypeMismatch"},
    {"special_expit(c64[2])", "c64[2]"},
    {"exp2(b8[2,3])", "f32[2,3]"},
    {"sinc(bf16[2,3,4]{24,8,1})", "bf16[2,3,4]"},
    {"logit(f16[3], 0.1)", "f16[3]"},
    {"logit(c64[3])", "!DtypeMismatch"},
    {"special_round(f32[2,3]{1,2}, decimals=1)", "f32[2,3]{1,2}"},
    {"round.decimals(i64[3], decimals=1)", "!DtypeMismatch"},
    {"lgamma_(f32[3])", "arg(0); writes 0"},
    {"lgamma_(i64[3])", "!DtypeMismatch"},
    {"special_i1.out(f32[2,3]{1,2}, out=f64[0])", "arg(1); 1 := f64[2,3]{1,2}; writes 1"},
};

constexpr CallCase kOrders[] = {
    {"polygamma(2, f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"polygamma(2, i64[2])", "f32[2]"},
    {"polygamma(-2, f32[2])", "!ValueError"},
    {"special_polygamma(1, f64[])", "f64[]"},
    {"mvlgamma(f32[2,3]{1,2}, 2)", "f32[2,3]"},
    {"mvlgamma(i64[2], 2)", "f32[2]"},
    {"mvlgamma(f32[2], 0)", "!ValueError"},
    {"special_multigammaln(f16[2,3], 1)", "f16[2,3]"},
};

constexpr CallCase kTwoOperands[] = {
    {"special_hermite_polynomial_h(f32[2,3]{1,2}, i64[3])", "f32[2,3]{1,2}"},
    {"special_chebyshev_polynomial_t.n_scalar(i64[2], 3)", "f32[2]"},
    {"special_legendre_polynomial_p.x_scalar(2, f64[2,1])", "f64[2,1]"},
    {"special_laguerre_polynomial_l(f32[2], f32[3])", "!ShapeMismatch"},
    {"special_zeta(c64[2], f32[2])", "!DtypeMismatch"},
    {"special_zeta.other_scalar(f32[2], 2)", "f32[2]"},
    {"xlogy.Tensor(i64[2,1], i64[1,3])", "f32[2,3]"},
    {"xlogy.Scalar_Self(2.5, f16[3])", "f16[3]"},
    {"special_xlog1py(f16[3], f32[])", "f16[3]"},
    {"igamma(f32[2,3]{1,2}, f64[])", "f32[2,3]{1,2}"},
    {"special_gammaincc(i64[2], i64[2])", "!DtypeMismatch"},
};

TEST(Special, OneOperand) { CheckCalls(kOneOperand); }
TEST(Special, Orders) { CheckCalls(kOrders); }
TEST(Special, TwoOperands) { CheckCalls(kTwoOperands); }

}  // namespace
}  // namespace fakeprop::testing
