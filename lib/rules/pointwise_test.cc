#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kArithmetic[] = {
    {"add.Tensor(f32[2,3], f32[3])", "f32[2,3]"},
    {"add.Tensor(f32[2,1], f32[1,3])", "f32[2,3]"},
    {"add.Tensor(i64[2], 1.5)", "f32[2]"},
    {"add.Tensor(f16[2], f32[])", "f16[2]"},
    {"add.Tensor(i64[2], f64[])", "f64[2]"},
    {"add.Tensor(f32[2,3]{1,2}, f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"add.Tensor(f32[2,3]{1,2}, f32[3])", "f32[2,3]{1,2}"},
    {"add.Tensor(f32[2,3], f32[4])", "!ShapeMismatch"},
    {"add.Tensor(f32[2]@cuda:0, f32[])", "f32[2]@cuda:0"},
    {"add.Tensor(f32[2]@cuda:0, f32[2])", "!DeviceMismatch"},
    {"add.Tensor(i64[2], i64[2], alpha=1.5)", "!DtypeMismatch"},
    {"sub.Tensor(b8[2], b8[2])", "!DtypeMismatch"},
    {"mul.Tensor(f32[2,3,4,5]{60,1,15,3}, 2)", "f32[2,3,4,5]{60,1,15,3}"},
    {"div.Tensor(i64[2], i64[2])", "f32[2]"},
    {"div.Tensor_mode(i64[2], i64[2], rounding_mode=\"floor\")", "i64[2]"},
    {"div.Tensor_mode(i64[2], i64[2], rounding_mode=\"up\")", "!ValueError"},
    {"pow.Tensor_Scalar(i64[2], -1)", "!ValueError"},
    {"where.self(b8[3,1], f32[1,4], f32[])", "f32[3,4]"},
    {"where.self(f32[3], f32[3], f32[3])", "!DtypeMismatch"},
    {"bitwise_and.Tensor(f32[2], f32[2])", "!DtypeMismatch"},
    {"eq.Scalar(f32[2,3]{1,2}, 3)", "b8[2,3]{1,2}"},
};

constexpr CallCase kForms[] = {
    {"add_.Tensor(f32[2,3], f32[3])", "arg(0); writes 0"},
    {"add_.Tensor(f32[3], f32[2,3])", "!ShapeMismatch"},
    {"add_.Tensor(i64[3], 1.5)", "!DtypeMismatch"},
    {"add_.Tensor(f32[3]{0}, f32[3])", "!ValueError"},
    {"add.out(f32[2,3], f32[3], out=f32[2,3]{1,2})", "arg(2); writes 2"},
    {"add.out(f32[2,3], f32[3], out=f32[0])", "arg(2); 2 := f32[2,3]; writes 2"},
    {"add.out(f32[2], f32[2], out=i64[2])", "!DtypeMismatch"},
    {"sin.out(f32[2], out=f32[2]@cuda:0)", "!DeviceMismatch"},
    {"__iand__.Tensor(b8[2], b8[2])", "arg(0); writes 0"},
};

TEST(Pointwise, Arithmetic) { CheckCalls(kArithmetic); }
TEST(Pointwise, DerivedForms) { CheckCalls(kForms); }

}  // namespace
}  // namespace fakeprop::testing
