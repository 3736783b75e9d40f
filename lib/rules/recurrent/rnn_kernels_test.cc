#include "lib/rules/rule_table.h"
#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kRnnKernels[] = {
    {"mkldnn_rnn_layer(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[3,6], f32[3,6], False, [], 2, 6, 1, "
     "True, False, False, True)",
        "f32[5,3,6], f32[3,6], f32[3,6], u8[0]"},
    {"mkldnn_rnn_layer(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], False, [], 2, 6, 1, "
     "True, False, False, False)",
        "f32[5,3,6], f32[1,3,6], f32[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(f32[3,5,4]{4,12,1}, f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], True, [], "
     "2, 6, 1, True, False, True, False)",
        "f32[3,5,6], f32[1,3,6], f32[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(f32[5,3,4], f32[18,4], f32[18,6], f32[18], f32[18], f32[1,3,6], f32[1,3,6], False, [], 3, 6, 1, "
     "True, False, False, False)",
        "f32[5,3,6], f32[1,3,6], f32[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(f32[3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], False, [], 2, 6, 1, "
     "True, False, False, False)",
        "!ShapeMismatch"},  // as eager
    {"mkldnn_rnn_layer(f32[5,3,7], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], False, [], 2, 6, 1, "
     "True, False, False, False)",
        "f32[5,3,6], f32[1,3,6], f32[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], False, [], 2, 7, 1, "
     "True, False, False, False)",
        "f32[5,3,7], f32[1,3,6], f32[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(bf16[5,3,4], bf16[24,4], bf16[24,6], bf16[24], bf16[24], bf16[1,3,6], bf16[1,3,6], False, [], "
     "2, 6, 1, True, False, False, False)",
        "bf16[5,3,6], bf16[1,3,6], bf16[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(f64[5,3,4], f64[24,4], f64[24,6], f64[24], f64[24], f64[1,3,6], f64[1,3,6], False, [], 2, 6, 1, "
     "True, False, False, False)",
        "f64[5,3,6], f64[1,3,6], f64[1,3,6], u8[0]"},
    {"mkldnn_rnn_layer(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,2,6], f32[1,3,6], False, [], 2, 6, 1, "
     "True, False, False, False)",
        "f32[5,3,6], f32[1,2,6], f32[1,3,6], u8[0]"},
    {"_cudnn_rnn(f32[5,3,4]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0, f32[24]@cuda:0, f32[24]@cuda:0], 4, None, "
     "f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, 2, 6, 0, 1, False, 0.0, False, False, [], None)",
        "f32[5,3,6]@cuda:0, f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, u8[0]@cuda:0, None"},
    {"_cudnn_rnn(f32[3,5,4]{4,12,1}@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0, f32[24]@cuda:0, f32[24]@cuda:0], 4, "
     "f32[400]@cuda:0, f32[2,3,5]@cuda:0, f32[2,3,6]@cuda:0, 2, 6, 5, 1, True, 0.0, True, True, [], None)",
        "f32[3,5,10]@cuda:0, f32[2,3,5]@cuda:0, f32[2,3,6]@cuda:0, u8[0]@cuda:0, arg(5)"},
    {"_cudnn_rnn(f16[9,4]@cuda:0, [f16[18,4]@cuda:0, f16[18,6]@cuda:0], 2, None, f16[1,3,6]@cuda:0, None, 3, 6, 0, 1, "
     "False, 0.0, True, False, [3, 3, 2, 1], None)",
        "f16[9,6]@cuda:0, f16[1,3,6]@cuda:0, f32[0]@cuda:0, u8[0]@cuda:0, None"},
    {"_cudnn_rnn(f16[9]@cuda:0, [f16[18,4]@cuda:0, f16[18,6]@cuda:0], 2, None, f16[1,3,6]@cuda:0, None, 3, 6, 0, 1, "
     "False, 0.0, True, False, [], None)",
        "!ShapeMismatch"},
    {"_cudnn_rnn(f32[5,3,4], [f32[24,4], f32[24,6], f32[24], f32[24]], 4, None, f32[1,3,6], f32[1,3,6], 2, 6, 0, 1, "
     "False, 0.0, False, False, [], None)",
        "f32[5,3,6], f32[1,3,6], f32[1,3,6], u8[0], None"},
    {"miopen_rnn(f32[5,3,4]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0, f32[24]@cuda:0, f32[24]@cuda:0], 4, "
     "f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, 2, 6, 1, False, 0.0, False, False, [], None)",
        "f32[5,3,6]@cuda:0, f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, u8[0]@cuda:0, f32[288]@cuda:0"},
    {"miopen_rnn(f32[3,5,4]{4,12,1}@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[2,3,6]@cuda:0, None, 2, 6, 1, "
     "True, 0.0, False, True, [], None)",
        "f32[3,5,12]@cuda:0, f32[2,3,6]@cuda:0, f32[0]@cuda:0, u8[0]@cuda:0, f32[240]@cuda:0"},
    {"_thnn_fused_lstm_cell_backward_impl(f32[3,6], f32[3,6], f32[3,6], f32[3,6], f32[3,24], True)",
        "f32[3,24], f32[3,6], f32[24]"},
    {"_thnn_fused_lstm_cell_backward_impl(f32[3,6]{1,3}, None, f32[3,6]{1,3}, f32[3,6], f32[3,24]{1,3}, False)",
        "f32[3,24], f32[3,6], None"},
    {"_thnn_fused_lstm_cell_backward_impl(None, None, f32[3,6], f32[3,6], f32[3,24], True)", "None, None, None"},
    {"_thnn_fused_lstm_cell_backward_impl(f32[3,6]@cuda:0, f32[3,6]@cuda:0, f32[3,6]@cuda:0, f32[3,6]@cuda:0, "
     "f32[3,24]@cuda:0, True)",
        "f32[3,24]@cuda:0, f32[3,6]@cuda:0, f32[24]@cuda:0"},
    {"_thnn_fused_lstm_cell_backward_impl(f32[3,6], f32[3,6], f32[3,6], f32[3,6], f32[3,23], True)", "!ShapeMismatch"},
    {"_thnn_fused_lstm_cell_backward_impl(f32[3,5], f32[3,6], f32[3,6], f32[3,6], f32[3,24], True)", "!ShapeMismatch"},
    {"_thnn_fused_lstm_cell_backward_impl(f32[18], f32[18], f32[18], f32[18], f32[72], True)", "!ShapeMismatch"},
    {"_thnn_fused_gru_cell_backward(f32[3,6]@cuda:0, f32[3,30]@cuda:0, True)",
        "f32[3,18]@cuda:0, f32[3,18]@cuda:0, f32[3,6]@cuda:0, f32[18]@cuda:0, f32[18]@cuda:0"},
    {"_thnn_fused_gru_cell_backward(f16[3,6]{1,3}@cuda:0, f16[3,30]@cuda:0, False)",
        "f16[3,18]@cuda:0, f16[3,18]@cuda:0, f16[3,6]@cuda:0, None, None"},
    {"_thnn_fused_gru_cell_backward(f32[3,6]@cuda:0, f32[3,24]@cuda:0, True)", "!ShapeMismatch"},
    {"_thnn_fused_gru_cell_backward(f32[6]@cuda:0, f32[30]@cuda:0, True)", "!ShapeMismatch"},
    {"_thnn_fused_lstm_cell(f32[3,24]@cuda:0, f32[3,24]@cuda:0, f32[3,6]@cuda:0, f32[24]@cuda:0, f32[24]@cuda:0)",
        "f32[3,6]@cuda:0, f32[3,6]@cuda:0, f32[3,24]@cuda:0"},
    {"_thnn_fused_lstm_cell(f32[3,24]@cuda:0, f32[3,23]@cuda:0, f32[3,6]@cuda:0, f32[24]@cuda:0, f32[24]@cuda:0)",
        "!ShapeMismatch"},
    {"_thnn_fused_lstm_cell(f32[3,24]@cuda:0, f32[3,24]@cuda:0, f32[3,7]@cuda:0, f32[24]@cuda:0, f32[24]@cuda:0)",
        "!ShapeMismatch"},
    {"mkldnn_rnn_layer_backward(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], "
     "f32[5,3,6], f32[1,3,6], f32[1,3,6], f32[5,3,6], f32[1,3,6], f32[1,3,6], False, 2, 6, 1, True, True, False, [], "
     "False, u8[0])",
        "f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6]"},
    {"mkldnn_rnn_layer_backward(f32[5,3,4]{1,5,15}, f32[18,4], f32[18,6], f32[18], f32[18], f32[1,3,6], f32[1,3,6], "
     "f32[5,3,6], f32[1,3,6], f32[1,3,6], f32[5,3,6], f32[1,3,6], f32[1,3,6], False, 3, 6, 1, True, True, False, [], "
     "False, u8[0])",
        "f32[5,3,4], f32[18,4], f32[18,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6]"},
    {"miopen_rnn(f32[9]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[1,3,6]@cuda:0, None, 2, 6, 1, False, 0.0, "
     "False, False, [], None)",
        "!ShapeMismatch"},
    {"mkldnn_rnn_layer_backward(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[3,6], f32[3,6], f32[5,3,6], "
     "f32[3,6], f32[3,6], f32[5,3,6], f32[3,6], f32[3,6], False, 2, 6, 1, True, True, False, [], False, u8[0])",
        "f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[3,6], f32[3,6]"},
    {"mkldnn_rnn_layer_backward(f32[5,3,4], f32[24,4], f32[24,6], f32[], f32[24], f32[3,6], f32[3,6], f32[5,3,6], "
     "f32[3,6], f32[3,6], f32[5,3,6], f32[3,6], f32[3,6], False, 2, 6, 1, True, True, False, [], False, u8[0])",
        "!ShapeMismatch"},
    {"mkldnn_rnn_layer_backward(f32[3,1,2]{2,6,1}, f32[12,2], f32[12,3], f32[12,2], f32[12,3], f32[1,3], f32[1,3], "
     "f32[3,1,3], f32[1,3], f32[1,3], f32[3,1,3], None, None, False, 2, 3, 2, False, True, False, [], True, u8[28672])",
        "f32[3,1,2], f32[12,2], f32[12,3], f32[12], f32[12], f32[1,3], f32[1,3]"},
};

// As cuDNN's and MIOpen's kernels.
constexpr CallCase kBackward[] = {
    {"_cudnn_rnn_backward(f32[5,3,4]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[288]@cuda:0, "
     "f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, f32[5,3,6]@cuda:0, f32[5,3,6]@cuda:0, None, None, 2, 6, 0, 1, False, 0.0, "
     "True, False, [], None, u8[0]@cuda:0, [True,True,True,True])",
        "f32[5,3,4]@cuda:0, f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0]"},
    {"_cudnn_rnn_backward(f32[3,5,4]@cuda:0, [f32[18,4]@cuda:0, f32[18,6]@cuda:0], 2, f32[216]@cuda:0, "
     "f32[1,3,6]@cuda:0, None, f32[3,5,6]@cuda:0, None, f32[1,3,6]@cuda:0, None, 3, 6, 0, 1, True, 0.0, True, False, "
     "[], None, u8[0]@cuda:0, [True,True,False,False])",
        "f32[3,5,4]{4,12,1}@cuda:0, f32[1,3,6]@cuda:0, None, []"},
    {"_cudnn_rnn_backward(f32[9,4]{1,9}@cuda:0, [f32[18,4]@cuda:0], 2, f32[216]@cuda:0, f32[1,3,6]@cuda:0, None, "
     "f32[9,6]@cuda:0, f32[9,6]@cuda:0, None, None, 3, 6, 0, 1, False, 0.0, True, False, [3,3,2,1], None, "
     "u8[0]@cuda:0, [True,True,False,True])",
        "f32[9,4]@cuda:0, f32[1,3,6]@cuda:0, None, [f32[18,4]@cuda:0]"},
    {"_cudnn_rnn_backward(f32[5,3,4]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[288]@cuda:0, "
     "f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, f32[5,3,6]@cuda:0, None, None, None, 2, 6, 0, 1, False, 0.0, True, False, "
     "[], None, u8[0]@cuda:0, [True,True,True,True])",
        "None, None, None, [None, None]"},
    {"_cudnn_rnn_backward(f32[5,3,4]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[288]@cuda:0, "
     "f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, f32[5,3,6]@cuda:0, f32[5,3,6]@cuda:0, None, None, 2, 6, 0, 1, False, 0.0, "
     "False, False, [], None, u8[0]@cuda:0, [True,True,True,True])",
        "!ValueError"},
    {"miopen_rnn_backward(f32[5,3,4]{1,5,15}@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[288]@cuda:0, "
     "f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, f32[5,3,6]@cuda:0, f32[5,3,6]@cuda:0, None, None, 2, 6, 1, False, 0.0, "
     "True, False, [], None, u8[0]@cuda:0, [True,True,True,True])",
        "f32[5,3,4]@cuda:0, f32[1,3,6]@cuda:0, f32[1,3,6]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0]"},
    {"miopen_rnn_backward(f32[9]@cuda:0, [f32[24,4]@cuda:0, f32[24,6]@cuda:0], 2, f32[288]@cuda:0, f32[1,3,6]@cuda:0, "
     "f32[1,3,6]@cuda:0, f32[5,3,6]@cuda:0, f32[5,3,6]@cuda:0, None, None, 2, 6, 1, False, 0.0, True, False, [], None, "
     "u8[0]@cuda:0, [True,True,True,True])",
        "!ShapeMismatch"},
};

// As Metal's kernels.
constexpr CallCase kMetal[] = {
    {"_lstm_mps(f32[5,3,4]@mps:0, [f32[1,3,6]@mps:0, f32[1,3,6]@mps:0], [f32[24,4]@mps:0, f32[24,6]@mps:0], False, 1, "
     "0.0, True, False, False)",
        "f32[5,3,6]@mps:0, f32[1,3,6]@mps:0, f32[1,3,6]@mps:0, f32[1,5,3,24]@mps:0, f32[1,5,3,6]@mps:0, "
        "f32[1]@mps:0"},
    {"_lstm_mps(f32[3,5,4]{1,12,3}@mps:0, [f32[4,3,6]@mps:0, f32[4,3,6]@mps:0], [f32[24,4]@mps:0], False, 2, 0.0, "
     "False, True, True)",
        "f32[3,5,12]@mps:0, f32[4,3,6]@mps:0, f32[4,3,6]@mps:0, f32[2,5,3,48]@mps:0, f32[2,5,3,12]@mps:0, "
        "f32[1,5,3,12]@mps:0"},
    {"_lstm_mps(f32[5,4]@mps:0, [f32[1,6]@mps:0, f32[1,6]@mps:0], [f32[24,4]@mps:0], False, 1, 0.0, True, False, "
     "False)",
        "!ShapeMismatch"},
    {"_lstm_mps(f32[5,3,4]@mps:0, [f32[1,3,2]@mps:0, f32[1,3,6]@mps:0], [f32[24,4]@mps:0], False, 1, 0.0, True, "
     "False, False)",
        "!ShapeMismatch"},
    {"lstm_mps_backward(f32[5,3,6]@mps:0, None, None, f32[1,5,3,24]@mps:0, f32[1,5,3,6]@mps:0, "
     "f32[5,3,4]{1,5,15}@mps:0, f32[1,5,3,6]@mps:0, [f32[1,3,6]@mps:0, f32[1,3,6]@mps:0], [f32[24,4]@mps:0, "
     "f32[24,6]@mps:0], False, 1, 0.0, True, False, False)",
        "f32[5,3,4]{1,5,15}@mps:0, [f32[1,3,6]@mps:0, f32[1,3,6]@mps:0], [f32[24,4]@mps:0, f32[24,6]@mps:0]"},
    {"lstm_mps_backward(None, None, None, f32[1,5,3,24]@mps:0, f32[1,5,3,6]@mps:0, f32[5,3,4]@mps:0, "
     "f32[1,5,3,6]@mps:0, [f32[1,3,6]@mps:0, f32[1,3,6]@mps:0], [f32[24,4]@mps:0], False, 1, 0.0, True, False, False)",
        "f32[5,3,4]@mps:0, [f32[1,3,6]@mps:0, f32[1,3,6]@mps:0], [f32[24,4]@mps:0]"},
    {"lstm_mps_backward(f32[5,6]@mps:0, None, None, f32[1,5,24]@mps:0, f32[1,5,6]@mps:0, f32[5,4]@mps:0, "
     "f32[1,5,6]@mps:0, [f32[1,6]@mps:0, f32[1,6]@mps:0], [f32[24,4]@mps:0], False, 1, 0.0, True, False, False)",
        "!ShapeMismatch"},
};

// As eager's kernel (torch 2.13, 2.15); Python's function returns one tensor for both.
TEST(RnnKernels, GradientsOfBiasesHaveStoragesOfTheirOwn) {
  const std::string call =
      "mkldnn_rnn_layer_backward(f32[5,3,4], f32[24,4], f32[24,6], f32[24], f32[24], f32[1,3,6], f32[1,3,6], "
      "f32[5,3,6], f32[1,3,6], f32[1,3,6], f32[5,3,6], f32[1,3,6], f32[1,3,6], False, 2, 6, 1, True, True, False, [], "
      "False, u8[0])";
  RunCallWith(call, {}, true, [](Call& c) {
    RunRule(*FindRule(c.schema()), c);
    ASSERT_EQ(c.effects().outputs.size(), 7u);
    for (const Output& output : c.effects().outputs) EXPECT_LT(output.shares_with, 0);
  });
}

TEST(RnnKernels, Backward) { CheckCalls(kBackward); }
TEST(RnnKernels, Metal) { CheckCalls(kMetal); }
TEST(RnnKernels, AsPyTorch) { CheckCalls(kRnnKernels); }

}  // namespace
}  // namespace fakeprop::testing
