#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Answers of eager PyTorch 2.15. More of them are in lib/rules/expected_calls/quantized_layer.calls.
constexpr CallCase kLayers[] = {
    {"quantized::linear(qu8[3,8], [qi8[5,8], f32[5]], 0.1, 0)", "qu8[3,5]"},
    {"quantized::linear(qu8[2,3,8], [qi8[5,8], None], 0.1, 0)", "qu8[2,3,5]"},
    {"quantized::linear(qu8[3,8]{1,3}, [qi8[5,8], None], 0.1, 0)", "qu8[3,5]"},
    {"quantized::linear(qu8[8], [qi8[5,8], None], 0.1, 0)", "!ShapeMismatch"},
    {"quantized::linear(qu8[2,3,4,8]{96,1,24,3}, [qi8[5,8], None], 0.1, 0)", "qu8[2,3,4,5]"},
    {"quantized::linear(qi8[3,8], [qi8[5,8], f32[5]], 0.1, 0)", "!DtypeMismatch"},
    {"quantized::linear(f32[3,8], [qi8[5,8], f32[5]], 0.1, 0)", "!DtypeMismatch"},
    {"quantized::linear(qu8[3,7], [qi8[5,8], f32[5]], 0.1, 0)", "!ShapeMismatch"},
    {"quantized::linear(qu8[0,8], [qi8[5,8], f32[5]], 0.1, 0)", "qu8[0,5]"},
    {"quantized::conv1d(qu8[2,4,9]{36,1,4}, [qi8[6,4,3], f32[6], [2], [1], [0], [1], 1, False], 0.1, 0)",
        "qu8[2,6,5]{30,1,6}"},
    {"quantized::conv1d(qu8[4,9], [qi8[6,4,3], f32[6], [2], [1], [0], [1], 1, False], 0.1, 0)", "!ShapeMismatch"},
    {"quantized::conv_transpose2d(qu8[2,4,9,7], [qi8[4,6,3,3], f32[6], [2,2], [0,0], [1,0], [1,1], 1, True], 0.1, 0)",
        "qu8[2,6,20,15]{1800,1,90,6}"},
    {"quantized::conv_transpose2d(qu8[2,4,9,7], [qi8[4,6,3,3], f32[12], [2,2], [0,0], [1,0], [1,1], 2, True], 0.1, 0)",
        "qu8[2,12,20,15]{3600,1,180,12}"},
    {"quantized::conv1d(qu8[2,4,9], [qi8[6,4,3], f32[6], [1], [0], [0], [1], 1, False], 0.1, 0)", "qu8[2,6,7]{42,1,6}"},
};

TEST(QuantizedLayer, Layers) { CheckCalls(kLayers); }

}  // namespace
}  // namespace fakeprop::testing
