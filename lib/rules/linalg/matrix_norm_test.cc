#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kNorms[] = {
    {"linalg_norm(f64[1,1], dim=[])", "!ValueError"},
    {"linalg_matrix_norm(f32[2,3,4]{12,1,3}, 2)", "f32[2]"},
    {"linalg_matrix_norm(c64[3,4], 1, [0,1], True)", "f32[1,1]"},
    {"linalg_matrix_norm(f32[3,4], 3)", "!ValueError"},
    {"linalg_matrix_norm(f32[0,3], -2)", "!IndexOutOfRange"},
    {"linalg_matrix_norm(f32[0,3], -1)", "f32[]"},
    {"linalg_matrix_norm(f32[0,3], -inf)", "!IndexOutOfRange"},
    {"linalg_norm(f32[3,0], -1)", "!IndexOutOfRange"},
    {"linalg_norm(f32[3,0], -inf)", "f32[]"},
    {"linalg_matrix_norm(f32[3], 1)", "!ShapeMismatch"},
    {"linalg_matrix_norm.str_ord(f32[2,3,4], \"nuc\", [0,2])", "f32[3]"},
    {"linalg_matrix_norm.str_ord(f32[2,3,4], \"fro\", dtype=float64)", "f64[2]"},
    {"linalg_matrix_norm.str_ord(f32[2,3,4], \"fro\", dtype=float16)", "!DtypeMismatch"},
    {"linalg_matrix_norm.str_ord(f32[2,3,4], \"max\")", "!ValueError"},
    {"linalg_norm(f32[2,3,4])", "f32[]"},
    {"linalg_norm(f32[3,4]{1,3}, 2)", "f32[]"},
    {"linalg_norm(f32[2,3,4], 2)", "!ShapeMismatch"},
    {"linalg_norm(f32[2,3,4], 3, [1])", "f32[2,4]"},
    {"linalg_norm(f32[2,3,4], None, [0,1], True)", "f32[1,1,4]"},
    {"linalg_norm(i64[3])", "!DtypeMismatch"},
    {"linalg_norm.ord_str(f32[3,4], \"fro\")", "f32[]"},
    {"linalg_norm.ord_str(f32[2,3,4], \"fro\")", "!ShapeMismatch"},
    {"linalg_norm.ord_str(f32[2,3,4], \"nuc\", [0,1])", "f32[4]"},
    {"nuclear_norm(f32[3,4]{1,3})", "f32[]"},
    {"nuclear_norm(c64[2,3,4], True)", "f32[2,1,1]"},
    {"nuclear_norm(f32[3])", "!ShapeMismatch"},
    {"nuclear_norm(f16[3,4])", "!DtypeMismatch"},
    {"nuclear_norm.dim(f32[3,4,5]{1,3,12}, [2,0])", "f32[4]"},
    {"nuclear_norm.dim(f64[3,4], [0,1], True)", "f64[1,1]"},
    {"nuclear_norm.dim(f32[3,4,5], [0])", "!ValueError"},
    {"nuclear_norm.dim(f32[3,4], [0,0])", "!ValueError"},
    {"linalg_matrix_norm.str_ord(f16[0,0], \"nuc\")", "!DtypeMismatch"},
};

constexpr CallCase kConditions[] = {
    {"linalg_cond(f32[2,3,4])", "f32[2]"},
    {"linalg_cond(c64[3,3]{1,3}, 1)", "f32[]"},
    {"linalg_cond(f32[3,4], 1)", "!ShapeMismatch"},
    {"linalg_cond.p_str(f32[3,3], \"fro\")", "f32[]"},
    {"linalg_cond.p_str(f32[3,3], \"max\")", "!ValueError"},
};

TEST(MatrixNorm, Norms) { CheckCalls(kNorms); }
TEST(MatrixNorm, Conditions) { CheckCalls(kConditions); }

}  // namespace
}  // namespace fakeprop::testing
