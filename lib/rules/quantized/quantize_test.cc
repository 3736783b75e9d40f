#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// PyTorch's fake kernels fail here or keep float32; these are the results of the CPU kernels.
constexpr CallCase kQuantized[] = {
    {"quantize_per_tensor(f32[2,3]{1,2}, 1.0, 0, qint8)", "qi8[2,3]"},
    {"quantize_per_tensor(f32[2,3,4,5]{60,1,15,3}, 1.0, 0, quint8)", "qu8[2,3,4,5]{60,1,15,3}"},
    {"quantize_per_tensor(f32[2], 1.0, 0, int8)", "!DtypeMismatch"},
    {"quantize_per_tensor(f32[2], 1.0, 0, None)", "!TypeError"},
    {"quantize_per_channel(f64[2,3], f32[3], i64[3], 1, qint8)", "!DtypeMismatch"},
    {"quantize_per_channel(f32[2,3], f32[3], i64[3], 1, qint32)", "qi32[2,3]"},
    {"quantize_per_channel(f32[2,3], f32[2], i64[2], 1, qint8)", "!ShapeMismatch"},
    {"dequantize.self(f32[2,3]{1,2})", "arg(0)"},
    {"dequantize.self(f16[4])", "f32[4]"},
    {"choose_qparams_optimized(f32[64], 64, 200, 0.16, 8)", "f32[1], f32[1]"},
    {"choose_qparams_optimized(f32[0], 0, 2, 1.0, 0)", "!ValueError"},
};

TEST(Quantize, Quantized) { CheckCalls(kQuantized); }

}  // namespace
}  // namespace fakeprop::testing
