#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kComplex[] = {
    {"mT(f32[2,3,4])", "view(0) f32[2,4,3]{12,1,4}"},
    {"mT(f32[4])", "!ShapeMismatch"},
    {"view_as_real(c64[2,3]{1,2}+3)", "view(0) f32[2,3,2]{2,4,1}+6"},
    {"view_as_real(f32[2])", "!DtypeMismatch"},
    {"view_as_complex(f32[2,3,2]{2,4,1}+2)", "view(0) c64[2,3]{1,2}+1"},
    {"view_as_complex(f32[2,3])", "!ShapeMismatch"},
    {"view_as_complex(f32[2,2]{1,2})", "!ViewError"},
    {"view_as_complex(f32[2,2]+1)", "!ViewError"},
    {"view_as_complex(i32[2,2])", "!DtypeMismatch"},
    {"view_as_complex(f32[])", "!ShapeMismatch"},
    {"mT(f32[])", "arg(0)"},
    {"mH(c64[])", "view(0) c64[] conj"},
    {"mH(c64[2,3])", "view(0) c64[3,2]{1,3} conj"},
    {"mH(f32[2,3])", "view(0) f32[3,2]{1,3}"},
    {"adjoint(c64[2,3])", "view(0) c64[3,2]{1,3} conj"},
    {"matrix_H(c64[2,3])", "view(0) c64[3,2]{1,3} conj"},
    {"matrix_H(c64[2,3,4])", "!ShapeMismatch"},
    {"matrix_H(c64[])", "view(0) c64[] conj"},
    {"matrix_H(c64[3])", "!ShapeMismatch"},
    {"real(f32[2])", "arg(0)"},
    {"real(c64[2]+3)", "view(0) f32[2]{2}+6"},
    {"imag(c64[2,3]{1,2}+3)", "view(0) f32[2,3]{2,4}+7"},
    {"imag(f32[2])", "!DtypeMismatch"},
    {"_conj(c64[2])", "view(0) c64[2] conj"},
    {"_conj(f32[2])", "!DtypeMismatch"},
    {"conj(f32[2])", "arg(0)"},
    {"_neg_view(f32[2])", "view(0) f32[2] neg"},
    {"resolve_conj(c64[2])", "arg(0)"},
    {"resolve_neg(f32[2])", "arg(0)"},
    {"_conj_copy(c64[2,3]{1,2})", "c64[2,3]"},
};

constexpr CallCase kDtypes[] = {
    {"view.dtype(f32[2,4], float64)", "alias(0) f64[2,2]"},
    {"view.dtype(f32[2,3], float64)", "!ViewError"},
    {"view.dtype(f32[2,3], None)", "!TypeError"},
    {"view.dtype(f32[2,3], float16)", "alias(0) f16[2,6]"},
    {"view.dtype(f32[2,3]{1,2}, float16)", "!ViewError"},
    {"view.dtype(f32[2,3]{1,2}, int32)", "alias(0) i32[2,3]{1,2}"},
    {"view.dtype(f32[], float16)", "!ViewError"},
    {"view.dtype(f32[], float64)", "!ViewError"},
    {"view.dtype(f32[2,4]+2, float64)", "alias(0) f64[2,2]+1"},
    {"view.dtype(f32[2,4]+1, float64)", "!ViewError"},
    {"view.dtype(f32[2,4]{5,1}, float64)", "!ViewError"},
    {"view.dtype(f32[2], complex64)", "alias(0) c64[1]"},
    {"view.dtype(f32[2], float32)", "alias(0) f32[2]"},
};

constexpr CallCase kScript[] = {
    {"mH.a(c64[2,3])", "view(0) c64[3,2]{1,3} conj"},
    {"mT.a(f32[4,2,3])", "view(0) f32[4,3,2]{6,1,3}"},
    {"matrix_H.a(f32[2,3])", "view(0) f32[3,2]{1,3}"},
    {"mH.a(f32[4,2,3]{6,1,2})", "view(0) f32[4,3,2]"},
    {"mH.a(f32[3])", "!ShapeMismatch"},
    {"mT.a(f32[2,3]{1,2})", "view(0) f32[3,2]"},
    {"mT.a(f32[3])", "!ShapeMismatch"},
    {"matrix_H.a(c64[2,3]{1,2})", "view(0) c64[3,2] conj"},
    {"matrix_H.a(f32[4,2,3])", "!ShapeMismatch"},
};

TEST(Reinterpret, Dtypes) { CheckCalls(kDtypes); }
TEST(Reinterpret, Complex) { CheckCalls(kComplex); }
TEST(Reinterpret, Script) { CheckCalls(kScript); }

}  // namespace
}  // namespace fakeprop::testing
