// Gradients on fakes, of operators that once failed and of plain ones. `//lib/fuzzer:derivatives` runs all calls.
#include "lib/fuzzer/derivatives.h"

#include <gtest/gtest.h>

namespace fakeprop::fuzzer {
namespace {

using Kind = DerivativeVerdict::Kind;

TEST(Derivatives, AgreeWithRealTensors) {
  for (const char* call : {
           "mul.Tensor(f32[2,3], f32[3])",
           "relu_(f32[2,3])",
           "max(f32[2,3])",
           "prod.dim_int(f32[2,3], 1)",
           "convolution(f32[2,3,8,8], f32[4,3,3,3], f32[4], [1,1], [0,0], [1,1], False, [0,0], 1)",
           "native_layer_norm(f32[2,3,4], [4], f32[4], f32[4], 1e-05)",
           "index_fill.int_Tensor(f32[2,3], 0, i64[1], f32[])",
           "_ctc_loss(f32[5,2,3], i64[2,4], [5,5], [4,3])",
           "_pack_padded_sequence(f32[5,3,4], i64[3], False)",
           "scaled_dot_product_attention(f32[2,4,8,16], f32[2,4,6,16], f32[2,4,6,16], b8[8,6])",
           "_to_sparse_csr(f32[2,4]{1,2})",
           "to_dense(f32[4,4]:coo(i64[2,3], f32[3]))",
           "index_put(f32[2,3,4], [b8[2,3]], f32[4])",
           "_ctc_loss.Tensor(f32[5,2,4]{8,1,2}, i64[2,3], i64[2], i64[2])",
           "_native_batch_norm_legit(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05)",
       }) {
    const auto verdicts = JudgeDerivative(call);
    EXPECT_EQ(verdicts.size(), 3u) << call;
    for (const DerivativeVerdict& verdict : verdicts)
      EXPECT_EQ(verdict.kind, Kind::kAgree) << call << " on " << verdict.device << ": " << verdict.what;
  }
}

TEST(Derivatives, DifferencesAndErrorsAreSeen) {
  EXPECT_EQ(JudgeDerivative("log_sigmoid_forward(f32[2,3])")[1].kind, Kind::kDiffer) << "cuda's buffer is empty";
  EXPECT_EQ(JudgeDerivative("masked_select(f32[3], b8[3])")[0].kind, Kind::kFails);
  EXPECT_TRUE(JudgeDerivative("eq.Tensor(f32[2], f32[2])").empty()) << "nothing requires grad";
  EXPECT_TRUE(JudgeDerivative("no such call").empty());
}

}  // namespace
}  // namespace fakeprop::fuzzer
