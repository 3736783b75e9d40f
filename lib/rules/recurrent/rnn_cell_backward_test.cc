#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLstm[] = {
    {"_thnn_differentiable_lstm_cell_backward(f32[3,6], f32[3,6], f32[3,24], f32[3,24], None, None, f32[3,6], "
     "f32[3,6])",
        "f32[3,24], f32[3,24], f32[3,6], None, None"},
    {"_thnn_differentiable_lstm_cell_backward(f32[3,6]{1,3}, f32[3,6]{1,3}, f32[3,24]{1,3}, f32[3,24]{1,3}, None, "
     "None, "
     "f32[3,6]{1,3}, f32[3,6]{1,3})",
        "f32[3,24], f32[3,24], f32[3,6]{1,3}, None, None"},
    {"_thnn_differentiable_lstm_cell_backward(None, f32[3,6], f32[3,24], f32[3,24], f32[24], None, f32[3,6], f32[3,6])",
        "f32[3,24], f32[3,24], f32[3,6], f32[24], f32[24]"},
    {"_thnn_differentiable_lstm_cell_backward(f32[3,6], None, f32[3,24], f32[3,24], None, f32[24], f32[3,6], f32[3,6])",
        "f32[3,24], f32[3,24], f32[3,6], None, None"},
    {"_thnn_differentiable_lstm_cell_backward(None, None, f32[3,24], f32[3,24], f32[24], None, f32[3,6], f32[3,6])",
        "None, None, None, None, None"},
    {"_thnn_differentiable_lstm_cell_backward(f64[3,6], f32[3,6], f32[3,24], f32[3,24], None, None, f32[3,6], "
     "f32[3,6])",
        "f64[3,24], f64[3,24], f64[3,6], None, None"},
    {"_thnn_differentiable_lstm_cell_backward(i64[3,6], i64[3,6], i64[3,24], i64[3,24], None, None, i64[3,6], "
     "i64[3,6])",
        "f32[3,24], f32[3,24], f32[3,6], None, None"},
    {"_thnn_differentiable_lstm_cell_backward(f32[2,3,6], f32[3,6], f32[3,24], f32[3,24], None, None, f32[3,6], "
     "f32[3,6])",
        "f32[2,12,6], f32[2,12,6], f32[2,3,6], None, None"},
    {"_thnn_differentiable_lstm_cell_backward(f32[3,6], None, f32[3,22], f32[3,22], None, None, f32[3,6], f32[3,6])",
        "!ShapeMismatch"},
    {"_thnn_differentiable_lstm_cell_backward(f32[3,5], None, f32[3,24], f32[3,24], None, None, f32[3,6], f32[3,6])",
        "!ShapeMismatch"},
    {"_thnn_differentiable_lstm_cell_backward(f32[6], f32[6], f32[24], f32[24], None, None, f32[6], f32[6])",
        "!ShapeMismatch"},
};

constexpr CallCase kGru[] = {
    {"_thnn_differentiable_gru_cell_backward(f32[3,6], f32[3,18], f32[3,18], f32[3,6], None, None)",
        "f32[3,18], f32[3,18], f32[3,6], None, None"},
    {"_thnn_differentiable_gru_cell_backward(f32[3,6]{1,3}, f32[3,18], f32[3,18], f32[3,6]{1,3}, f32[18], f32[18])",
        "f32[3,18], f32[3,18], f32[3,6]{1,3}, f32[18], f32[18]"},
    {"_thnn_differentiable_gru_cell_backward(f32[3,6], f32[3,18], f32[3,18], f32[3,6], None, f32[18])",
        "f32[3,18], f32[3,18], f32[3,6], None, None"},
    {"_thnn_differentiable_gru_cell_backward(i64[3,6], i64[3,18], i64[3,18], i64[3,6], None, None)",
        "f32[3,18], f32[3,18], f32[3,6], None, None"},
    {"_thnn_differentiable_gru_cell_backward(f16[3,6], f16[3,18], f32[3,18], f16[3,6], None, None)",
        "f32[3,18], f32[3,18], f32[3,6], None, None"},
    {"_thnn_differentiable_gru_cell_backward(f32[2,3,6], f32[3,18], f32[3,18], f32[3,6], None, None)",
        "f32[2,9,6], f32[2,9,6], f32[2,3,6], None, None"},
    {"_thnn_differentiable_gru_cell_backward(f32[3,6], f32[3,17], f32[3,18], f32[3,6], None, None)", "!ShapeMismatch"},
    {"_thnn_differentiable_gru_cell_backward(f32[6], f32[18], f32[18], f32[6], None, None)", "!ShapeMismatch"},
};

TEST(RnnCellBackward, Lstm) { CheckCalls(kLstm); }
// Not a row of the table, whose calls others give to LibTorch's kernels, too: this one ends their process.
TEST(RnnCellBackward, FewerGatesThanFour) {
  EXPECT_EQ(
      RunCall("_thnn_differentiable_lstm_cell_backward(f32[6], f32[3,6], f32[3,24], f32[4,3,24], None, None, f32[3,6], "
              "f32[3,6])"),
      "!ShapeMismatch");
}
TEST(RnnCellBackward, Gru) { CheckCalls(kGru); }

}  // namespace
}  // namespace fakeprop::testing
