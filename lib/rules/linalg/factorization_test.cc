#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLuQr[] = {
    {"linalg_lu(f32[2,3,4])", "f32[2,3,3], f32[2,3,3], f32[2,3,4]"},
    {"linalg_lu(f32[3,4]{1,3}, pivot=False)", "f32[0], f32[3,3], f32[3,4]"},
    {"linalg_lu(f32[3])", "!ShapeMismatch"},
    {"linalg_lu_factor(f64[2,3,4])", "f64[2,3,4]{12,1,3}, i32[2,3]"},
    {"linalg_lu_factor(i64[3,3])", "!DtypeMismatch"},
    {"linalg_lu_factor_ex(c64[4,3])", "c64[4,3]{1,4}, i32[3], i32[]"},
    {"_lu_with_info(f32[2,3,4]{12,1,3})", "f32[2,3,4]{12,1,3}, i32[2,3], i32[2]"},
    {"lu_unpack(f32[2,3,4], i32[2,3])", "f32[2,3,3], f32[2,3,3], f32[2,3,4]"},
    {"lu_unpack(f32[3,4], i32[3], unpack_data=False)", "f32[3,3], f32[0], f32[0]"},
    {"lu_unpack(f32[3,4], i64[3])", "!DtypeMismatch"},
    {"linalg_qr(f32[2,3,4])", "f32[2,3,3]{9,1,3}, f32[2,3,4]{12,1,3}"},
    {"linalg_qr(f32[4,3]{1,4}, \"complete\")", "f32[4,4]{1,4}, f32[4,3]{1,4}"},
    {"linalg_qr(f32[4,3], \"r\")", "f32[0], f32[3,3]{1,3}"},
    {"linalg_qr(f32[4,3], \"full\")", "!ValueError"},
    {"qr(f32[4,3], False)", "f32[4,4]{1,4}, f32[4,3]{1,4}"},
    {"geqrf(f32[2,4,3])", "f32[2,4,3]{12,1,4}, f32[2,3]"},
    {"geqrf(f32[4])", "!ShapeMismatch"},
    {"linalg_householder_product(f32[2,4,3], f32[2,3])", "f32[2,4,3]{12,1,4}"},
    {"linalg_householder_product(f32[4,3], f32[4])", "!ShapeMismatch"},
    {"orgqr(f32[4,3], f32[2])", "f32[4,3]{1,4}"},
    {"orgqr(f32[3,4], f32[2])", "!ShapeMismatch"},
    {"ormqr(f32[4,3], f32[3], f32[4,2])", "f32[4,2]{1,4}"},
    {"ormqr(f32[4,3], f32[3], f32[2,4], False)", "f32[2,4]{1,2}"},
    {"ormqr(f32[2,3], f32[3], f32[2,2])", "!ShapeMismatch"},
    {"ormqr(f32[4,3], f32[3], f32[3,2])", "!ShapeMismatch"},
    {"cholesky_inverse.out(f32[3,3], out=f64[3,3])", "arg(1); writes 1"},
    {"geqrf(bf16[0,2,0])", "!DtypeMismatch"},
    {"orgqr.out(f64[5,5], f64[5], out=f64[1,1,5,5])", "arg(2); 2 := f64[5,5]; writes 2"},
    {"linalg_householder_product.out(f64[5,3], f64[3], out=f64[0])", "arg(2); 2 := f64[5,3]{1,5}; writes 2"},
    {"linalg_householder_product.out(f32[5,3], f32[3], out=f64[0])", "arg(2); 2 := f64[5,3]; writes 2"},
    {"ormqr.out(f32[4,3], f32[3], f32[4,2], out=f32[0])", "arg(3); 3 := f32[4,2]{1,4}; writes 3"},
    {"ormqr.out(f32[4,3], f32[3], f32[4,2], out=f32[1])", "arg(3); 3 := f32[4,2]; writes 3"},
    {"cholesky_inverse.out(f32[3,3], out=f32[0])", "arg(1); 1 := f32[3,3]{1,3}; writes 1"},
    {"cholesky_inverse.out(f32[3,3], out=f64[0])", "arg(1); 1 := f64[3,3]; writes 1"},
    {"linalg_eig.out(f32[3,3], eigenvalues=c64[1], eigenvectors=c64[0])",
        "arg(1), arg(2); 1 := c64[3]; writes 1; 2 := c64[3,3]{1,3}; writes 2"},
    {"linalg_eig.out(f32[3,3], eigenvalues=c64[0], eigenvectors=c64[1])",
        "arg(1), arg(2); 1 := c64[3]; writes 1; 2 := c64[3,3]; writes 2"},
};

constexpr CallCase kCholeskyLdl[] = {
    {"linalg_cholesky(f32[2,3,3])", "f32[2,3,3]{9,1,3}"},
    {"linalg_cholesky(f32[2,3,4])", "!ShapeMismatch"},
    {"linalg_cholesky_ex(c128[3,3]{1,3}, upper=True)", "c128[3,3]{1,3}, i32[]"},
    {"cholesky(f32[2,3,3])", "f32[2,3,3]{9,1,3}"},
    {"cholesky(f32[0,0])", "f32[0,0]"},
    {"cholesky_inverse(f32[2,3,3])", "f32[2,3,3]{9,1,3}"},
    {"linalg_ldl_factor(f32[2,3,3])", "f32[2,3,3]{9,1,3}, i32[2,3]"},
    {"linalg_ldl_factor_ex(f64[3,3])", "f64[3,3]{1,3}, i32[3], i32[]"},
    {"linalg_ldl_factor(f32[3,4])", "!ShapeMismatch"},
};

constexpr CallCase kSpectra[] = {
    {"linalg_eigh(c64[2,3,3])", "f32[2,3], c64[2,3,3]{9,1,3}"},
    {"linalg_eigh(f32[3,3]{1,3}, \"U\")", "f32[3], f32[3,3]{1,3}"},
    {"linalg_eigh(f32[3,3], \"X\")", "!ValueError"},
    {"_linalg_eigh(f32[3,3], \"L\", False)", "f32[3], f32[0]"},
    {"linalg_eigvalsh(c64[2,3,3])", "f32[2,3]"},
    {"linalg_eig(f32[2,3,3])", "c64[2,3], c64[2,3,3]{9,1,3}"},
    {"linalg_eig(f32[2,3,3]@cuda:0)", "c64[2,3]@cuda:0, c64[2,3,3]@cuda:0"},
    {"linalg_eig(f32[2,3])", "!ShapeMismatch"},
    {"linalg_eigvals(f64[2,3,3])", "c128[2,3]"},
    {"linalg_svd(f32[2,3,4])", "f32[2,3,3]{9,1,3}, f32[2,3], f32[2,4,4]{16,1,4}"},
    {"linalg_svd(c64[4,3]{1,4}, False)", "c64[4,3]{1,4}, f32[3], c64[3,3]{1,3}"},
    {"linalg_svd(f32[2,3,4]@cuda:0)", "f32[2,3,3]{9,1,3}@cuda:0, f32[2,3]@cuda:0, f32[2,4,4]@cuda:0"},
    {"linalg_svd(f16[3,4])", "!DtypeMismatch"},
    {"_linalg_svd(f32[3,4], True, False)", "f32[0], f32[3], f32[0]"},
    {"linalg_svdvals(c64[2,3,4])", "f32[2,3]"},
    {"svd(f32[2,3,4])", "f32[2,3,3]{9,1,3}, f32[2,3], f32[2,4,3]"},
    {"svd(f32[2,3,4], True, False)", "f32[2,3,3], f32[2,3], f32[2,4,4]{16,1,4}"},
    {"svd(f32[4])", "!ShapeMismatch"},
};

TEST(Factorization, LuQr) { CheckCalls(kLuQr); }
TEST(Factorization, CholeskyLdl) { CheckCalls(kCholeskyLdl); }
TEST(Factorization, Spectra) { CheckCalls(kSpectra); }

}  // namespace
}  // namespace fakeprop::testing
