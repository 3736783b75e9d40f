#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kMatrices[] = {
    {"bmm(b8[0,2,3], i64[0,3,2])", "i64[0,2,2]"},
    {"bmm(b8[1,2,3], i64[1,3,2])", "!DtypeMismatch"},
    {"matmul(b8[5,5], i64[0,5,5])", "i64[0,5,5]"},
    {"baddbmm_(f32[5,5,10]{0,10,1}, f32[5,5,5], f32[5,5,10])", "arg(0); writes 0"},
    {"addmv_(f32[3]{0}, f32[3,4], f32[4])", "arg(0); writes 0"},
    {"addmv_(f32[3]{0}, f32[3,0], f32[0])", "!ValueError"},
    {"addmv_(f32[3], f32[3,4], f32[5])", "!ShapeMismatch"},
    {"addmv_(b8[3], b8[3,4], b8[4])", "!DtypeMismatch"},
    {"addmv_(b8[3], b8[3,0], b8[0])", "arg(0); writes 0"},
    {"baddbmm_(b8[2,3,5], b8[2,3,4], b8[2,4,5])", "!DtypeMismatch"},
    {"addmv_(f32[1], f32[3,4], f32[4])", "!ShapeMismatch"},
    {"addmv_(f32[2,2], f32[2,3], f32[3])", "!ShapeMismatch"},
    {"baddbmm_(f32[1,5,10], f32[5,5,5], f32[5,5,10])", "!ShapeMismatch"},
    {"chain_matmul.out([f32[2,3]], out=i64[0])", "arg(1); 1 := i64[2,3]; writes 1"},
    {"chain_matmul.out([f32[2,3], f32[3,2]], out=i64[0])", "!DtypeMismatch"},
    {"mm(f32[2,3], f32[3,4])", "f32[2,4]"},
    {"mm(f32[2,3]{1,2}, f32[3,4]{1,3})", "f32[2,4]"},
    {"mm(f32[2,3], f32[4,3])", "!ShapeMismatch"},
    {"mm(f32[2,3,4], f32[4,5])", "!ShapeMismatch"},
    {"mm(f32[2,3], f64[3,4])", "!DtypeMismatch"},
    {"mm(f32[2,3]@cuda:0, f32[3,4]@cuda:0)", "f32[2,4]@cuda:0"},
    {"mm.dtype(bf16[2,3]@cuda:0, bf16[3,4]@cuda:0, float32)", "f32[2,4]@cuda:0"},
    {"mm.dtype(f32[2,3]@cuda:0, f32[3,4]@cuda:0, float64)", "!DtypeMismatch"},
    {"mm.dtype(f32[2,3]@cuda:0, f32[3,4]@cuda:0, None)", "!TypeError"},
    {"bmm(f32[2,3,4]{12,1,3}, f32[2,4,5])", "f32[2,3,5]"},
    {"bmm(f32[2,3,4], f32[3,4,5])", "!ShapeMismatch"},
    {"bmm(f32[2,3,4], f64[2,4,5])", "!DtypeMismatch"},
    {"mv(f32[2,3]{1,2}, f32[3])", "f32[2]"},
    {"mv(f32[2,3], f32[4])", "!ShapeMismatch"},
    {"dot(f32[3]{2}, f32[3])", "f32[]"},
    {"dot(f32[3], f32[4])", "!ShapeMismatch"},
    {"dot(f32[3], f64[3])", "!DtypeMismatch"},
    {"vdot(c64[3], c64[3])", "c64[]"},
    {"_int_mm(i8[17,32], i8[32,8])", "i32[17,8]"},
    {"_int_mm(i64[17,32], i8[32,8])", "!DtypeMismatch"},
    {"_int_mm(i8[17,32], i8[31,8])", "!ShapeMismatch"},
    {"outer(f32[3]{2}, i64[4])", "f32[3,4]"},
    {"ger(f32[3], f32[4])", "f32[3,4]"},
    {"outer(f32[3,2], f32[4])", "!ShapeMismatch"},
    {"addbmm_(f32[1,10], f32[5,5,5], f32[5,5,10])", "arg(0); 0 := f32[5,10]; writes 0"},
    {"matmul(b8[0], b8[0])", "!DtypeMismatch"},
    {"baddbmm(f32[2,2,1], f32[2,2,0], bf16[2,0,1])", "bf16[2,2,1]"},
    {"baddbmm(f32[2,0,1], bf16[2,0,3], f32[2,3,1])", "!DtypeMismatch"},
    {"baddbmm_(f32[0,0,1], f32[0,0,0], bf16[0,0,1])", "!DtypeMismatch"},
    {"matmul.out(f32[2,5,2]{2,4,1}, f32[2,12], out=f32[2,5,12]{60,0,1})", "arg(2); writes 2"},
    {"matmul.out(f32[2,5,2], f32[2,12], out=f32[2,5,12]{60,0,1})", "!ValueError"},
    {"matmul.out(f32[5,2], f32[2], out=f32[5]{0})", "arg(2); writes 2"},
    {"matmul.out(f32[2], f32[2,2,12], out=f32[2,12]{0,1})", "arg(2); writes 2"},
};

constexpr CallCase kAddends[] = {
    {"addmm(f32[4], f32[2,3], f32[3,4])", "f32[2,4]"},
    {"addmm(f32[2,4]{1,2}, f32[2,3], f32[3,4])", "f32[2,4]"},
    {"addmm(f32[], f32[2,3], f32[3,4])", "f32[2,4]"},
    {"addmm(f32[3], f32[2,3], f32[3,4])", "!ShapeMismatch"},
    {"addmm(f64[4], f32[2,3], f32[3,4])", "!DtypeMismatch"},
    {"addmm_(f32[2,4]{1,2}, f32[2,3], f32[3,4])", "arg(0); writes 0"},
    {"addmm_(f32[4], f32[2,3], f32[3,4])", "!ShapeMismatch"},
    {"_addmm_activation(f32[4], f32[2,3], f32[3,4], use_gelu=True)", "f32[2,4]"},
    {"addmv(f32[], f32[2,3], f32[3])", "f32[2]"},
    {"addmv(f32[2,2], f32[2,3], f32[3])", "!ShapeMismatch"},
    {"addbmm(f32[5], f32[2,3,4], f32[2,4,5])", "f32[3,5]"},
    {"addbmm(f32[3,5], f32[2,3,4], f32[3,4,5])", "!ShapeMismatch"},
    {"baddbmm(f32[2,3,5]{1,2,6}, f32[2,3,4], f32[2,4,5])", "f32[2,3,5]"},
    {"baddbmm(f32[2,3,4], f32[2,3,4], f32[2,4,5])", "!ShapeMismatch"},
    {"addr(f32[3,4]{1,3}, f32[3], f32[4])", "f32[3,4]{1,3}"},
    {"addr(f32[], f32[3], f32[4])", "f32[3,4]"},
    {"addr(f32[4,3], f32[3], f32[4])", "!ShapeMismatch"},
};

constexpr CallCase kAnyRank[] = {
    {"matmul(f32[2,3,4], f32[4,5])", "f32[2,3,5]"},
    {"matmul(f32[5,4], f32[2,4,3])", "f32[2,5,3]"},
    {"matmul(f32[4], f32[2,4,3])", "f32[2,3]"},
    {"matmul(f32[2,3,4]{1,8,2}, f32[4])", "f32[2,3]"},
    {"matmul(f32[2,1,3,4], f32[5,4,6])", "f32[2,5,3,6]"},
    {"matmul(f32[3,5,0], f32[0,2])", "f32[3,5,2]"},
    {"matmul(f32[], f32[4])", "!ShapeMismatch"},
    {"matmul(f32[2,3,4], f32[3,5])", "!ShapeMismatch"},
    {"matmul(f32[2,3,4], f32[3,4,5])", "!ShapeMismatch"},
    {"chain_matmul([f32[2,3], f32[3,4]{1,3}, f32[4,5]])", "f32[2,5]"},
    {"chain_matmul([f32[2,3]])", "f32[2,3]"},
    {"chain_matmul([f32[2,3], f32[3]])", "!ShapeMismatch"},
    {"linalg_multi_dot([f32[3], f32[3,4], f32[4]])", "f32[]"},
    {"linalg_multi_dot([f32[2,3], f32[3,4]{1,3}, f32[4]])", "f32[2]"},
    {"linalg_multi_dot([f32[2,3]])", "!ValueError"},
    {"linalg_vecdot(f32[2,3]{1,2}, f32[3])", "f32[2]"},
    {"linalg_vecdot(f32[2,3], f32[2,3], dim=0)", "f32[3]"},
    {"linalg_vecdot(i64[3], i64[3])", "!DtypeMismatch"},
    {"linalg_vecdot(f32[0], f32[1])", "!ShapeMismatch"},
    {"linalg_vecdot(f32[3], f32[3], dim=5)", "f32[]"},
    {"linalg_matmul(b8[3], b8[3])", "!DtypeMismatch"},
    {"matmul.out(f32[3], f32[3,2], out=f32[2]{2})", "arg(2); 2 := f32[2]; writes 2"},
    {"matmul.out(f32[5,2,3], f32[3,2], out=f32[5,2,2]{1,5,10})", "!ShapeMismatch"},
    {"matmul.out(f32[5,2,3], f32[3], out=f32[5,2]{1,5})", "!ShapeMismatch"},
    {"matmul.out(f32[1,2,3], f32[3,2], out=f32[1,2,2]{1,1,2})", "arg(2); writes 2"},
    {"linalg_matmul.out(f32[3,3], f32[3,3], out=f32[3,3]{0,1})", "!ValueError"},
    {"linalg_matmul.out(f32[2,3,3], f32[3], out=f32[2,3]{0,1})", "!ValueError"},
};

constexpr CallCase kLinearLayers[] = {
    {"linear(f32[2,3], f32[5,3])", "f32[2,5]"},
    {"linear(f32[2,3]{1,2}, f32[5,3], f32[5])", "f32[2,5]"},
    {"linear(f32[3], f32[5,3], f32[5])", "f32[5]"},
    {"linear(f32[4,2,3]{3,12,1}, f32[5,3], f32[5])", "f32[4,2,5]"},
    {"linear(f32[4,2,3], f32[3])", "f32[4,2]"},
    {"linear(f32[4,2,3], f32[5,3], f32[1])", "f32[4,2,5]"},
    {"linear(f32[0,3], f32[5,3], f32[5])", "f32[0,5]"},
    {"linear(f32[4,2,3], f32[5,4], f32[5])", "!ShapeMismatch"},
    {"linear(f32[2,3], f32[5,3], f32[4])", "!ShapeMismatch"},
    {"linear(f32[2,3], f32[5,3], f64[5])", "!DtypeMismatch"},
    {"linear.out(f32[2,3], f32[5,3], out=f32[0])", "arg(2); 2 := f32[2,5]; writes 2"},
};

constexpr CallCase kLinearBackward[] = {
    {"linear_backward(f32[2,5,3], f32[2,5,4], f32[4,3], [True,False,True])", "f32[2,5,3], f32[4,3], f32[4]"},
    {"linear_backward(f32[2,3]{1,2}, f32[2,4]{1,2}, f32[4,3], [False,True,True])", "None, f32[4,3], f32[4]"},
    {"linear_backward(f32[3], f32[4], f32[4,3], [True,False,False])", "f32[3], None, None"},
    {"linear_backward(f32[], f32[4], f32[4,3], [True,True,False])", "!ShapeMismatch"},
};

TEST(Matmul, Matrices) { CheckCalls(kMatrices); }
TEST(Matmul, Addends) { CheckCalls(kAddends); }
TEST(Matmul, AnyRank) { CheckCalls(kAnyRank); }
TEST(Matmul, LinearLayers) { CheckCalls(kLinearLayers); }
TEST(Matmul, LinearBackward) { CheckCalls(kLinearBackward); }

}  // namespace
}  // namespace fakeprop::testing
