#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// As eager PyTorch 2.13 on the cpu; FakeTensorMode does not look.
constexpr CallCase kNumbers[] = {
    {"masked_fill.Scalar(f16[2], b8[2], -1e9)", "!ValueError"},
    {"masked_fill.Scalar(f16[2], b8[2], -65504.0)", "f16[2]"},
    {"masked_fill.Scalar(f16[2], b8[2], -inf)", "f16[2]"},
    {"masked_fill.Scalar(bf16[2], b8[2], -1e9)", "bf16[2]"},
    {"masked_fill.Scalar(bf16[2], b8[2], 3.4028234663852886e+38)", "!ValueError"},
    {"masked_fill.Scalar(bf16[2], b8[2], 3.3895313892515355e+38)", "bf16[2]"},
    {"masked_fill.Scalar(f32[2], b8[2], 3.4028234663852886e+38)", "f32[2]"},
    {"masked_fill.Scalar(f32[2], b8[2], 1e40)", "!ValueError"},
    {"masked_fill.Scalar(c64[2], b8[2], 1e40)", "!ValueError"},
    {"masked_fill.Scalar(f16[2], b8[2], 70000)", "!ValueError"},
    {"masked_fill.Scalar(u8[2], b8[2], -255)", "u8[2]"},
    {"masked_fill.Scalar(u8[2], b8[2], -256)", "!ValueError"},
    {"masked_fill.Scalar(u8[2], b8[2], -1.0)", "!ValueError"},
    {"masked_fill.Scalar(u8[2], b8[2], 2.5)", "u8[2]"},
    {"masked_fill.Scalar(u8[2], b8[2], nan)", "!ValueError"},
    {"masked_fill.Scalar(i64[2], b8[2], 1e19)", "!ValueError"},
    {"masked_fill.Scalar(b8[2], b8[2], 300)", "b8[2]"},
    {"masked_fill_.Scalar(f16[0], b8[0], 1e6)", "!ValueError"},
    {"masked_fill.Scalar(f16[2]@meta, b8[2]@meta, 1e6)", "f16[2]@meta"},
    {"full([2], 300, dtype=uint8)", "!ValueError"},
    {"full([2], -1, dtype=uint8)", "u8[2]"},
    {"full([1], 1e6, dtype=float16)", "f16[1]"},
    {"fill_.Scalar(f16[3], 1e6)", "!ValueError"},
    {"fill_.Scalar(f16[1], 1e6)", "arg(0); writes 0"},
    {"fill.Scalar_out(f16[3], 1e6, out=f16[3])", "!ValueError"},
    {"clamp(u8[2], 0, 300)", "!ValueError"},
    {"clamp(u8[2], 0.0, 300.0)", "f32[2]"},
    {"clamp(f16[2], -3.4e38, 3.4e38)", "!ValueError"},
    {"add.Tensor(u8[2], i64[], alpha=300)", "!ValueError"},
    {"add.Tensor(i64[2], u8[2], alpha=300)", "i64[2]"},
    {"add_.Tensor(f16[2], f16[2], alpha=1e6)", "!ValueError"},
    {"addcmul(f16[2], f16[2], f16[2], value=1e6)", "f16[2]"},
    {"addcmul_(u8[2], u8[2], u8[2], value=300)", "!ValueError"},
    {"addmm(u8[2,2], u8[2,2], u8[2,2], beta=300)", "!ValueError"},
    {"addmm(u8[2,2], u8[2,0], u8[0,2], beta=300)", "u8[2,2]"},
    {"scatter.value(u8[3], 0, i64[1], 300)", "!ValueError"},
    {"scatter.value(u8[3], 0, i64[0], 300)", "u8[3]"},
    {"where.ScalarOther(b8[2], u8[2], 300)", "!ValueError"},
    {"where.ScalarOther(b8[2], f16[2], 1e6)", "f16[2]"},
    {"constant_pad_nd(f16[2], [1,1], 1e6)", "!ValueError"},
    {"constant_pad_nd(f16[2], [0,0], 1e6)", "f16[2]"},
    {"pad(f16[2], [1,1], \"constant\", 1e6)", "!ValueError"},
    {"addmv_(f16[2], f16[2,2], f16[2], alpha=1e6)", "!ValueError"},
    {"hardtanh(u8[2], -0.5, 255.9)", "u8[2]"},
    {"hardtanh(u8[2], -0.5, 256.9)", "!ValueError"},
    {"pow.Tensor_Scalar(f32[2], 1e40)", "f32[2]"},
    {"pow.Tensor_Scalar(bf16[2], 1e40)", "!ValueError"},
    {"pow.Tensor_Scalar(u8[2], 300)", "!ValueError"},
    {"where.ScalarOther(b8[2], f16[2], 1e40)", "f16[2]"},
    {"where.ScalarOther(b8[2], f32[2], 1e40)", "!ValueError"},
    {"fill_.Scalar(f16[1], 1e40)", "arg(0); writes 0"},
    {"mul.Scalar(f16[2], 1e6)", "f16[2]"},
    {"eq.Scalar(u8[2], 300)", "b8[2]"},
};

TEST(HeldNumbers, WhatTheDtypeDoesNotHoldIsRefused) { CheckCalls(kNumbers); }

}  // namespace
}  // namespace fakeprop::testing
