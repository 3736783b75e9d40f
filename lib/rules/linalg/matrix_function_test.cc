#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kFunctions[] = {
    {"_compute_linear_combination(f32[3,0,2], f32[2,3])", "!ShapeMismatch"},
    {"linalg_matrix_power.out(f32[2,2]{1,2}, 3, out=f32[2,2]{1,2})", "arg(1); writes 1"},
    {"linalg_matrix_power.out(f32[4,2,2], 0, out=f32[0])", "arg(1); 1 := f32[4,2,2]; writes 1"},
    {"linalg_matrix_power.out(f32[2,3], 0, out=f32[0])", "!ShapeMismatch"},
    {"linalg_matrix_power.out(f32[2,2], 1, out=f64[0])", "arg(1); 1 := f64[2,2]; writes 1"},
    {"linalg_matrix_power.out(f32[2,2], 2, out=f64[2,2])", "!DtypeMismatch"},
    {"_compute_linear_combination.out(f32[3,0], f32[2,3], out=f32[2,0])", "arg(2); writes 2"},
    {"matrix_exp_backward(i64[3,3], f32[3,3])", "f32[3,3]{6,1}+3"},
    {"matrix_exp_backward(f32[3,3], i64[3,3])", "!DtypeMismatch"},
    {"linalg_matrix_power(f32[2,3,3]{1,2,6}, 0)", "f32[2,3,3]"},
    {"linalg_matrix_power(f32[2,3,3]{1,2,6}, 3)", "f32[2,3,3]"},
    {"matrix_power(f32[2,3,3], -1)", "f32[2,3,3]{9,1,3}"},
    {"matrix_power(f32[3,4], 2)", "!ShapeMismatch"},
    {"linalg_matrix_exp(f32[2,3,3]{1,2,6})", "f32[2,3,3]"},
    {"matrix_exp(i64[3,3])", "!DtypeMismatch"},
    {"matrix_exp_backward(f32[2,3,3], f32[2,3,3])", "f32[2,3,3]{36,6,1}+3"},
    {"_compute_linear_combination(f32[3,4], f32[2,3])", "f32[2,4]"},
    {"matrix_power.out(f32[2,2], -1, out=f32[4]{0})", "arg(1); 1 := f32[2,2]; writes 1"},
    {"matrix_power.out(f32[2,2], -1, out=f32[2,2]{0,0})", "!ValueError"},
    {"linalg_matrix_exp(f32[2,5,1,1]{1,2,1,1})", "f32[2,5,1,1]{1,2,1,1}"},
    {"linalg_matrix_exp(f32[3,2,1,1]{2,1,2,2})", "f32[3,2,1,1]"},
    {"linalg_matrix_exp(f32[3,2,2,2]{4,12,2,1})", "!ViewError"},
    {"linalg_matrix_exp(f32[2,2,2]{1,2,4})", "f32[2,2,2]"},
    {"linalg_matrix_exp(f32[2,0,2,2]{1,2,4,2})", "f32[2,0,2,2]"},
};

TEST(MatrixFunction, Functions) { CheckCalls(kFunctions); }

}  // namespace
}  // namespace fakeprop::testing
