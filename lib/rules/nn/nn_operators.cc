// Operators that torch.nn registers from Python: the loss of a linear layer in chunks of the batch, and attention over
// sequences of their own lengths. Source: torch/nn/modules/linear_cross_entropy.py and torch/nn/attention/varlen.py
// (torch 2.13): results as register_fake has them, and the checks that only the operators make.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/attention_metas.h"

namespace fakeprop::rules {
namespace {

// ---- linear_cross_entropy: input [N, F], linear_weight [C, F], target [N], linear_bias [C]

Operand RequireVector(const Operand& t, Dim size, const char* of) {
  return t.Sizes({size}, {"takes a vector of {} for {}, not {tensor}", size, of});
}

void RequireLinearLoss(const Call& call) {
  const Operand input = call.In("input"), linear = call.In("linear_weight");
  const auto [items, features] = input.Sizes<2>();
  const Dim classes = linear.Sizes<2>()[0];
  linear.Size(1, features, {"takes an input and a weight of as many features, not {} and {tensor}", *input});
  RequireVector(call.In("target"), items, "each item's class")
      .Takes(ScalarType::Long, "takes an int64 target, not {tensor}");
  RequireVector(call.OptionalIn("linear_bias"), classes, "each class's bias");
}

// (loss, gradients of input, weight and bias), in the input's dtype. A gradient that is not asked for is empty.
void LinearCrossEntropy(Call& call) {
  RequireLinearLoss(call);
  const std::string_view reduction = call.String("reduction");
  RequireValue(call, reduction == "mean" || reduction == "sum",
      {"takes the reduction \"mean\" or \"sum\", not \"{}\"", reduction});
  const Operand input = call.In("input"), linear = call.In("linear_weight");
  const auto gradient = [&](ArgumentName flag, Dims sizes, Dims none) {
    ReturnContiguous(call, call.Bool(flag) ? sizes : none, input->dtype);
  };
  ReturnContiguous(call, {}, input->dtype);
  gradient("compute_input_grad", input->sizes, {0, 0});
  gradient("compute_linear_weight_grad", linear->sizes, {0, 0});
  gradient("compute_linear_bias_grad", {linear->sizes[0]}, {0});
}

void ReturnLossOfEach(Call& call) {
  const Operand input = call.In("input");
  ReturnContiguous(call, {input->sizes[0]}, input->dtype);
}

// ---- varlen_attn: query [T, H, D], the sequences one after another

// [H, T]
void ReturnLogSumExp(Call& call) {
  const auto [steps, heads, features] = call.In("query").Sizes<3>();
  ReturnContiguous(call, {heads, steps}, ScalarType::Float);
}

void RequireSequences(const Call& call) { call.In("query").Rank(3); }
void ReturnAttention(Call& call) { ReturnLike(call, call.In("query")); }
void WriteAttention(Call& call) { call.Write(call.In("out").tensor()); }
void ReturnRandomState(Call& call) { ReturnContiguous(call, {2}, ScalarType::UInt64); }

constexpr RuleRow kRows[] = {
    {"torch_nn::_linear_cross_entropy_batch_chunked", LinearCrossEntropy},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction", InOrder<RequireLinearLoss, ReturnLossOfEach>},
    {"torch_attn::_varlen_attn", InOrder<RequireSequences, ReturnAttention, ReturnLogSumExp, ReturnRandomState>},
    {"torch_attn::_varlen_attn_out", InOrder<RequireSequences, WriteAttention, ReturnLogSumExp>},
    {"torch_attn::_varlen_attn_backward", InOrder<RequireSequences, ReturnLikeQueryKeyValue>},
};

}  // namespace

RuleRows NnOperatorsRules() { return kRows; }

}  // namespace fakeprop::rules
