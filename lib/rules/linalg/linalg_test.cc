#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kSolvers[] = {
    {"linalg_solve(f32[2,3,3], f32[3,4])", "f32[2,3,4]{12,1,3}"},
    {"linalg_solve(f32[2,3,3], f32[2,3])", "f32[2,3]{1,2}"},
    {"linalg_solve(f32[2,3,3]{9,1,3}, f32[4,3], left=False)", "f32[2,4,3]"},
    {"linalg_solve(f32[3,3], f64[3])", "!DtypeMismatch"},
    {"linalg_solve(f32[3,3], f32[4,2])", "!ShapeMismatch"},
    {"linalg_solve_ex(f32[3,3], f32[3])", "f32[3], i32[]"},
    {"_linalg_solve_ex(f32[2,3,3], f32[2,3,4])", "f32[2,3,4]{12,1,3}, f32[2,3,3]{9,1,3}, i32[2,3], i32[2]"},
    {"linalg_solve_triangular(f32[2,3,3], f32[3,4], upper=True)", "f32[2,3,4]{12,1,3}"},
    {"linalg_solve_triangular(f32[2,3,3], f32[4,3], upper=True, left=False)", "f32[2,4,3]{12,1,4}"},
    {"linalg_solve_triangular(f32[3,3], f32[4,3], upper=True)", "!ShapeMismatch"},
    {"linalg_solve_triangular.out(f64[4,4], f64[4,2], upper=True, out=f32[4,2])", "!DtypeMismatch"},
    {"linalg_solve_triangular.out(f64[4,4], f64[4,2], upper=True, out=f32[4,2]{1,4})", "!DtypeMismatch"},
    {"linalg_solve_triangular.out(f64[4,4], f64[4,2], upper=True, out=i64[4,2]{3,1})", "arg(2); writes 2"},
    {"linalg_solve_triangular.out(f64[4,4], f64[4,2], upper=True, out=f32[4,3]{4,1})", "!DtypeMismatch"},
    {"triangular_solve(f32[3,4], f32[2,3,3])", "f32[2,3,4]{12,1,3}, f32[2,3,3]{9,1,3}"},
    {"triangular_solve(f32[3], f32[3,3])", "!ShapeMismatch"},
    {"cholesky_solve(f32[3,4], f32[2,3,3])", "f32[2,3,4]{12,1,3}"},
    {"cholesky_solve(f32[3,4], f32[2,3,4])", "!ShapeMismatch"},
    {"linalg_lu_solve(f32[2,3,3], i32[2,3], f32[2,3,4])", "f32[2,3,4]{12,1,3}"},
    {"linalg_lu_solve(f32[2,3,3], i32[2,3], f32[2,4,3], left=False)", "f32[2,4,3]"},
    {"linalg_lu_solve(f32[2,3,3], i64[2,3], f32[2,3,4])", "!DtypeMismatch"},
    {"lu_solve(f32[2,3,4], f32[2,3,3], i32[2,3])", "f32[2,3,4]{12,1,3}"},
    {"linalg_ldl_solve(f32[2,3,3], i32[2,3], f32[2,3,4])", "f32[2,3,4]{12,1,3}"},
    {"linalg_ldl_solve(f32[2,3,3], i32[2,2], f32[2,3,4])", "!ShapeMismatch"},
    {"linalg_tensorsolve(f32[2,3,6], f32[2,3])", "f32[6]"},
    {"linalg_tensorsolve(f32[6,2,3], f32[2,3], [0])", "f32[6]"},
    {"linalg_tensorsolve(f32[2,3,5], f32[2,3])", "!ShapeMismatch"},
    {"linalg_matrix_rank.atol_rtol_tensor(i64[0,0], hermitian=True)", "!DtypeMismatch"},
    {"linalg_matrix_rank.out(f32[5,3], 2.0, out=i64[4]{0})", "arg(1); 1 := i64[]; writes 1"},
    {"linalg_matrix_rank.out(f32[5,5,3], 2.0, out=i64[5]{0})", "arg(1); writes 1"},
    {"linalg_matrix_rank.out(f32[5,5,3], 2.0, out=f32[0])", "arg(1); 1 := f32[5]; writes 1"},
    {"linalg_matrix_rank.out(f32[5,5,3], 2.0, out=b8[0])", "!DtypeMismatch"},
    {"linalg_matrix_rank.atol_rtol_float_out(f32[5,5,3], out=i64[0])", "arg(1); 1 := i64[5]; writes 1"},
    {"linalg_matrix_rank.atol_rtol_float_out(f32[5], out=i64[])", "!ShapeMismatch"},
    {"linalg_lu_solve(bf16[2,2], i32[2], bf16[2,0])", "bf16[2,0]{1,2}"},
    {"linalg_lu_solve(bf16[2,2], i32[2], bf16[2,1])", "!DtypeMismatch"},
    {"linalg_lu_solve(i32[2,2], i32[2], i32[2,0])", "!DtypeMismatch"},
};

constexpr CallCase kInverses[] = {
    {"linalg_inv(f32[2,3,3])", "f32[2,3,3]{9,1,3}"},
    {"linalg_inv(f32[2,3,4])", "!ShapeMismatch"},
    {"linalg_inv(i64[3,3])", "!DtypeMismatch"},
    {"inverse(f64[3,3]{1,3})", "f64[3,3]{1,3}"},
    {"linalg_inv_ex(f32[2,3,3])", "f32[2,3,3]{9,1,3}, i32[2]"},
    {"linalg_pinv(f32[2,3,4]{12,1,3}, 0.1)", "f32[2,4,3]"},
    {"linalg_pinv(f32[3,4], 0.1, True)", "!ShapeMismatch"},
    {"linalg_pinv.atol_rtol_float(f32[2,3,3], hermitian=True)", "f32[2,3,3]"},
    {"linalg_pinv.rcond_tensor(f32[2,3,4], f32[2])", "f32[2,4,3]"},
    {"pinverse(f32[3,4])", "f32[4,3]"},
    {"linalg_tensorinv(f32[2,3,6], 2)", "f32[6,2,3]{1,18,6}"},
    {"linalg_tensorinv.out(f32[2,3,6], 2, out=f32[0])", "arg(1); 1 := f32[6,2,3]; writes 1"},
    {"linalg_tensorsolve.out(f32[2,3,6], f32[2,3], out=f32[0])", "arg(2); 2 := f32[6]; writes 2"},
    {"linalg_tensorinv(f32[6,2,3], 1)", "f32[2,3,6]{3,1,6}"},
    {"linalg_tensorinv(f32[2,3,5], 2)", "!ShapeMismatch"},
};

constexpr CallCase kNumbers[] = {
    {"linalg_solve_triangular(b8[0,0], b8[0,2], upper=True)", "!DtypeMismatch"},
    {"linalg_solve_triangular(f32[0,0], b8[3,0], upper=False, left=False)", "f32[3,0]{1,3}"},
    {"linalg_solve_triangular(f16[2,2], f32[3,2], upper=False, left=False)", "!DtypeMismatch"},
    {"linalg_det(f32[2,3,3])", "f32[2]"},
    {"det(c64[3,3]{1,3})", "c64[]"},
    {"det(f32[3,4])", "!ShapeMismatch"},
    {"logdet(f32[2,3,3])", "f32[2]"},
    {"_linalg_det(f32[2,3,3])", "f32[2], f32[2,3,3]{9,1,3}, i32[2,3]"},
    {"linalg_slogdet(c64[2,3,3])", "c64[2], f32[2]"},
    {"slogdet(f32[3,3])", "f32[], f32[]"},
    {"slogdet(f16[3,3])", "!DtypeMismatch"},
    {"_linalg_slogdet(f32[2,3,3])", "f32[2], f32[2], f32[2,3,3]{9,1,3}, i32[2,3]"},
    {"linalg_matrix_rank(f32[2,3,4], 0.1)", "i64[2]"},
    {"linalg_matrix_rank.atol_rtol_tensor(f32[2,3,4], atol=f32[5,1])", "i64[5,2]"},
    {"linalg_matrix_rank(f32[3,4], 0.1, True)", "!ShapeMismatch"},
};

constexpr CallCase kProducts[] = {
    {"linalg_cross(f32[2,3]{1,2}, f32[2,3])", "f32[2,3]"},
    {"linalg_cross(f32[3,2], f32[3,1], dim=0)", "f32[3,2]"},
    {"linalg_cross(f32[2,3], f32[3])", "!ShapeMismatch"},
    {"linalg_cross(f32[2,4], f32[2,4])", "!ShapeMismatch"},
    {"cross(f32[3,2]{1,3}, f32[3,2])", "f32[3,2]"},
    {"cross(f32[2,2], f32[2,2])", "!ShapeMismatch"},
    {"linalg_vander(f32[2,3]{1,2})", "f32[2,3,3]"},
    {"linalg_vander(i32[3], N=5)", "i64[3,5]"},
    {"linalg_vander(f32[3], N=1)", "!ValueError"},
};

TEST(Linalg, Solvers) { CheckCalls(kSolvers); }
TEST(Linalg, Inverses) { CheckCalls(kInverses); }
TEST(Linalg, Numbers) { CheckCalls(kNumbers); }
TEST(Linalg, Products) { CheckCalls(kProducts); }

}  // namespace
}  // namespace fakeprop::testing
