#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kElementary[] = {
    {"sqrt(i64[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"exp(b8[3])", "f32[3]"},
    {"tanh(c64[2,3]{1,2})", "c64[2,3]{1,2}"},
    {"sigmoid(f16[2])", "f16[2]"},
    {"sin_(i64[3])", "!DtypeMismatch"},
    {"log.out(f32[3], out=i64[3])", "!DtypeMismatch"},
    {"sinc(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"arctanh(i64[3])", "f32[3]"},
    {"special_expit(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"exp2(i32[2])", "f32[2]"},
};

constexpr CallCase kSpecial[] = {
    {"erf(i64[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"erfinv(c64[2])", "!DtypeMismatch"},
    {"lgamma(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"digamma(c64[2])", "!DtypeMismatch"},
    {"i0(i64[3])", "f32[3]"},
    {"special_i1e(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"special_bessel_j0(i64[2])", "f32[2]"},
    {"deg2rad(i64[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"rad2deg(c64[2])", "!DtypeMismatch"},
    {"logit(i64[2,3]{1,2}, 0.1)", "f32[2,3]{1,2}"},
    {"polygamma(1, i64[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"polygamma(-1, f32[2])", "!ValueError"},
    {"mvlgamma(f32[2,3]{1,2}, 2)", "f32[2,3]"},
    {"mvlgamma(f32[2], 0)", "!ValueError"},
    {"xlogy.Tensor(i64[2,3]{1,2}, f32[3])", "f32[2,3]{1,2}"},
    {"xlogy.Scalar_Self(2, f32[3])", "f32[3]"},
    {"special_xlog1py(f32[2], f32[3])", "!ShapeMismatch"},
    {"special_zeta.other_scalar(i64[2,3]{1,2}, 2)", "f32[2,3]{1,2}"},
    {"special_zeta(c64[2], c64[2])", "!DtypeMismatch"},
    {"igamma(f32[2,3]{1,2}, f32[3])", "f32[2,3]{1,2}"},
    {"special_gammaincc(i64[2], i64[2])", "!DtypeMismatch"},
    {"special_chebyshev_polynomial_t(f32[2,3]{1,2}, i64[3])", "f32[2,3]{1,2}"},
    {"special_hermite_polynomial_h.x_scalar(2.0, i64[2])", "f32[2]"},
    {"special_legendre_polynomial_p.n_scalar(f32[2,3], 2)", "f32[2,3]"},
};

TEST(Special, Elementary) { CheckCalls(kElementary); }
TEST(Special, Special) { CheckCalls(kSpecial); }

}  // namespace
}  // namespace fakeprop::testing
