#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Answers of eager PyTorch 2.15. More of them are in lib/rules/expected_calls/quantized_recurrent.calls.
constexpr CallCase kCells[] = {
    {"quantized::quantized_lstm_cell_dynamic(f32[3,8], [f32[3,16], f32[3,16]], [qi8[64,8], f32[64]], [qi8[64,16], "
     "f32[64]], f32[64], f32[64])",
        "f32[3,16], f32[3,16]"},
    {"quantized::quantized_gru_cell_dynamic(f32[3,8], f32[3,16], [qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], "
     "f32[48])",
        "f32[3,16]"},
    {"quantized_gru.input(f32[5,3,8], f32[1,3,16], [[[qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], f32[48], "
     "True]], True, 1, 0.0, False, False, False)",
        "f32[5,3,16], f32[1,3,16]"},
    {"quantized_gru.input(f32[3,5,8], f32[2,3,16], [[[qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], f32[48], "
     "True], [[qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], f32[48], True]], True, 1, 0.0, False, True, True)",
        "f32[3,5,32]{32,96,1}, f32[2,3,16]"},
    {"quantized::quantized_gru_cell_dynamic(f32[8], f32[16], [qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], "
     "f32[48])",
        "!ShapeMismatch"},
    {"quantized::quantized_gru_cell_dynamic(f32[3,8], f32[3,15], [qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], "
     "f32[48])",
        "!ShapeMismatch"},
    {"quantized::quantized_gru_cell_dynamic(f32[3,7], f32[3,16], [qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], "
     "f32[48])",
        "!ShapeMismatch"},
    {"quantized::quantized_gru_cell_dynamic(f32[3,8]{1,3}, f32[3,16]{1,3}, [qi8[48,8], f32[48]], [qi8[48,16], "
     "f32[48]], f32[48], f32[48])",
        "f32[3,16]{1,3}"},
    {"quantized::quantized_lstm_cell_dynamic(f32[3,8]{1,3}, [f32[3,16]{1,3}, f32[3,16]{1,3}], [qi8[64,8], f32[64]], "
     "[qi8[64,16], f32[64]], f32[64], f32[64])",
        "f32[3,16], f32[3,16]"},
    {"quantized_gru.input(f32[5,3,8]{1,5,15}, f32[1,3,16], [[[qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], "
     "f32[48], True]], True, 1, 0.0, False, False, False)",
        "f32[5,3,16], f32[1,3,16]"},
    {"quantized::quantized_gru_cell_dynamic(f32[2,3,8], f32[2,3,16], [qi8[48,8], f32[48]], [qi8[48,16], f32[48]], "
     "f32[48], f32[48])",
        "!ShapeMismatch"},
    {"quantized::quantized_lstm_cell_dynamic(f32[3,7], [f32[3,16], f32[3,16]], [qi8[64,8], f32[64]], [qi8[64,16], "
     "f32[64]], f32[64], f32[64])",
        "!ShapeMismatch"},
    {"quantized_gru.input(f32[5,3,8]{8,40,1}, f32[1,3,16], [[[qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], "
     "f32[48], True]], True, 1, 0.0, False, False, False)",
        "f32[5,3,16], f32[1,3,16]"},
    {"quantized_gru.input(f32[5,3,7], f32[1,3,16], [[[qi8[48,8], f32[48]], [qi8[48,16], f32[48]], f32[48], f32[48], "
     "True]], True, 1, 0.0, False, False, False)",
        "!ShapeMismatch"},
};

TEST(QuantizedRecurrent, Cells) { CheckCalls(kCells); }

}  // namespace
}  // namespace fakeprop::testing
