#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Answers of eager PyTorch 2.15. More of them are in lib/rules/expected_calls/packed_parameters.calls.
constexpr CallCase kPacking[] = {
    {"quantized::linear_prepack(qi8[5,8], f32[5])", "(qi8[5, 8] on cpu, f32[5] on cpu)"},
    {"quantized::linear_prepack(f32[5,8], f32[5])", "!DtypeMismatch"},
    {"quantized::linear_prepack(qi8[5,8], f32[4])", "!ShapeMismatch"},
    {"quantized::linear_prepack(qi8[5], f32[5])", "!ShapeMismatch"},
    {"quantized::linear_unpack([qi8[5,8], f32[5]])", "qi8[5,8], arg(1)"},
    {"quantized::linear_unpack([qi8[5,8], None])", "qi8[5,8], None"},
    {"quantized::linear_unpack([qi8[5,8]{1,5}, f32[5]])", "qi8[5,8], arg(1)"},
    {"quantized::conv2d_prepack(qi8[6,4,3,3], f32[6], [1,1], [0,0], [1,1], 1)",
        "(qi8[6, 4, 3, 3] on cpu, f32[6] on cpu, (1, 1), (0, 0), (0, 0), (1, 1), 1, False)"},
    {"quantized::conv2d_prepack(f32[6,4,3,3], f32[6], [1,1], [0,0], [1,1], 1)", "!DtypeMismatch"},
    {"quantized::conv2d_prepack(qi8[6,4,3], f32[6], [1,1], [0,0], [1,1], 1)", "!ShapeMismatch"},
    {"quantized::conv2d_prepack(qi8[6,4,3,3], f32[5], [1,1], [0,0], [1,1], 1)", "!ShapeMismatch"},
    {"quantized::conv2d_prepack(qi8[6,4,3,3], f32[6], [1], [0,0], [1,1], 1)", "!ValueError"},
    {"quantized::conv2d_stride([qi8[6,4,3,3], f32[6], [2,1], [0,0], [0,0], [1,1], 1, False])", "[2, 1]"},
    {"quantized::conv2d_prepack(qi8[6,4,3,3]{36,1,12,4}, f32[6], [1,1], [0,0], [1,1], 1)",
        "(qi8[6, 4, 3, 3] on cpu, strides [36, 1, 12, 4], f32[6] on cpu, (1, 1), (0, 0), (0, 0), (1, 1), 1, False)"},
};

TEST(PackedParameters, Packing) { CheckCalls(kPacking); }

}  // namespace
}  // namespace fakeprop::testing
