#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kPowers[] = {
    {"pow.Tensor_Scalar(f32[2,3,1,1]{3,1,3,3}, 2)", "f32[2,3,1,1]"},
    {"pow.Tensor_Scalar(i64[2], -1)", "!ValueError"},
    {"ldexp.Tensor(f32[2,1], i32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"ldexp.Tensor(f32[2,1], f32[2,3]{1,2})", "f32[2,3]"},
    {"ldexp.Tensor(f32[2], b8[2])", "!DtypeMismatch"},
    {"ldexp.Tensor(f32[1,1,3,5]{15,1,5,1}, f32[1,1,3,5]{15,15,0,1})", "f32[1,1,3,5]"},
    {"ldexp.Tensor(f32[2,1,3]{3,0,1}, i32[2,1,3])", "f32[2,1,3]{3,0,1}"},
    {"float_power.Scalar(2.0, f32[2,3]{1,2})", "f64[2,3]"},
    {"pow.Tensor_Scalar(i64[2,3]{1,2}, 2.0)", "f32[2,3]{1,2}"},
    {"pow.Tensor_Tensor(i64[2], f32[])", "f32[2]"},
    {"pow.Scalar(2, f32[2,3]{1,2})", "f32[2,3]"},
    {"pow.Tensor_Scalar(f16[2], 1.0+2.0j)", "!DtypeMismatch"},
    {"pow.Tensor_Scalar(f16[2], 1.0+0.0j)", "c32[2]"},
    {"pow.Tensor_Scalar(bf16[2], 1.0+2.0j)", "c64[2]"},
    {"pow.Tensor_Tensor(i32[2], c32[2])", "!DtypeMismatch"},
    {"pow.Scalar(1.0+2.0j, f16[2])", "!DtypeMismatch"},
    {"float_power.Tensor_Scalar(f32[2,3]{1,2}, 2)", "f64[2,3]{1,2}"},
    {"float_power.Scalar(2, c64[3])", "c128[3]"},
    {"float_power.Tensor_Tensor(i64[2], i64[3])", "!ShapeMismatch"},
    {"float_power_.Tensor(f32[2], i64[2])", "!DtypeMismatch"},
    {"float_power_.Tensor(f64[2,3]{1,2}, i64[3])", "arg(0); writes 0"},
    {"float_power_.Scalar(f64[2], 2)", "arg(0); writes 0"},
    {"float_power_.Tensor(f64[3], i64[2,3])", "!ShapeMismatch"},
    {"float_power.Tensor_Tensor_out(f32[2], f32[2], out=f32[2])", "!DtypeMismatch"},
    {"pow_.Tensor(f32[2,3]{1,2}, i64[3])", "arg(0); writes 0"},
    {"pow_.Scalar(i64[2], -1)", "!ValueError"},
    {"pow.Tensor_Tensor(b8[2], b8[2])", "!DtypeMismatch"},
    {"ldexp_(f32[2], i64[2])", "arg(0); writes 0"},
    {"ldexp_(i64[2], i64[2])", "!DtypeMismatch"},
    {"ldexp.Tensor(i64[2,3]{1,2}, i64[3])", "f32[2,3]{1,2}"},
    {"ldexp.Tensor(f16[2], i16[2])", "f16[2]"},
    {"ldexp.Tensor(f16[2], i32[])", "f16[2]"},
    {"ldexp.Tensor(i64[2], f16[])", "f16[2]"},
    {"ldexp.Tensor(f16[2], f32[2])", "f32[2]"},
    {"pow.Scalar_out(1, i64[4], out=i64[1,4]{4,0})", "arg(1); 1 := i64[4]; writes 1"},
    {"pow.Scalar_out(1, f32[3,4], out=i64[3,4]{0,1})", "arg(1); writes 1"},
    {"pow.Scalar_out(2, f32[3,4], out=f32[3,4]{0,1})", "!ValueError"},
    {"pow.Scalar_out(2.5, f32[0,1,3], out=f32[2,3]{0,1})", "arg(1); 1 := f32[0,1,3]; writes 1"},
    {"pow.Scalar_out(2.5, f32[3], out=i64[3])", "!DtypeMismatch"},
    {"float_power.Scalar_out(2.5, f32[5,2], out=f64[2,5]{0,1})", "arg(1); 1 := f64[5,2]; writes 1"},
    {"float_power.Scalar_out(2.5, f32[5,2], out=f64[5,2]{0,1})", "!ValueError"},
    {"float_power.Scalar_out(2.5, f32[5,2], out=f32[5,2])", "!DtypeMismatch"},
    {"float_power.Tensor_Tensor(f32[5,5,5]{25,0,1}, f32[5,5,5]{25,1,5})", "f64[5,5,5]"},
    {"float_power.Tensor_Tensor_out(f32[5,5,5]{25,0,1}, f32[5,5,5]{25,1,5}, out=f64[0])",
        "arg(2); 2 := f64[5,5,5]; writes 2"},
    {"pow.Tensor_Scalar(u64[2], 2)", "!DtypeMismatch"},
    {"pow.Tensor_Scalar(u64[2], 1)", "u64[2]"},
    {"pow.Tensor_Scalar(u64[2], True)", "u64[2]"},
    {"pow.Tensor_Scalar(c32[2], 1)", "c32[2]"},
    {"pow.Scalar(1, u64[2])", "u64[2]"},
    {"pow.Scalar(2, u64[2])", "!DtypeMismatch"},
};

TEST(Power, Powers) { CheckCalls(kPowers); }

}  // namespace
}  // namespace fakeprop::testing
