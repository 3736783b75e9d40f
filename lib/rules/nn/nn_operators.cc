// Operators that torch.nn registers from Python: the loss of a linear layer in chunks of the batch, and attention over
// sequences of their own lengths. Source: torch/nn/modules/linear_cross_entropy.py and torch/nn/attention/varlen.py
// (torch 2.13): what register_fake says, with the checks that it leaves to the operators themselves.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// ---- linear_cross_entropy: input [N, F], linear_weight [C, F], target [N], linear_bias [C]

void RequireVector(const Call& call, int argument, Dim size, std::string_view of) {
  const Tensor* t = call.OptionalTensor(argument);
  if (!t) return;
  if (t->meta.rank() != 1 || !Expect(Eq(t->meta.sizes[0], size)))
    FailShape(call, "takes a vector of " + size.ToString() + " for " + std::string(of) + ", not " + ToString(t->meta));
}

void RequireLinearLoss(const Call& call) {
  RequireRank(call, 0, 2);
  RequireRank(call, 1, 2);
  const TensorMeta &input = call.Meta(0), &linear = call.Meta(1), &target = call.Meta(2);
  if (!Expect(Eq(input.sizes[1], linear.sizes[1])))
    FailShape(
        call, "takes an input and a weight of as many features, not " + ToString(input) + " and " + ToString(linear));
  RequireVector(call, 2, input.sizes[0], "each item's class");
  if (target.dtype != ScalarType::Long) FailDtype(call, "takes an int64 target, not " + ToString(target));
  RequireVector(call, 3, linear.sizes[0], "each class's bias");
}

// (loss, gradients of input, weight and bias), those that are asked for; in the input's dtype.
void LinearCrossEntropy(Call& call) {
  RequireLinearLoss(call);
  const std::string_view reduction = call.String("reduction");
  if (reduction != "mean" && reduction != "sum")
    FailValue(call, "takes the reduction \"mean\" or \"sum\", not \"" + std::string(reduction) + "\"");
  const TensorMeta &input = call.Meta(0), &linear = call.Meta(1);
  const auto gradient = [&](ArgumentName flag, Dims sizes, Dims none) {
    ReturnContiguous(call, call.Bool(flag) ? sizes : none, input.dtype);
  };
  ReturnContiguous(call, {}, input.dtype);
  gradient("compute_input_grad", input.sizes, {0, 0});
  gradient("compute_linear_weight_grad", linear.sizes, {0, 0});
  gradient("compute_linear_bias_grad", {linear.sizes[0]}, {0});
}

void LinearCrossEntropyByItem(Call& call) {
  RequireLinearLoss(call);
  ReturnContiguous(call, Dims{call.Meta(0).sizes[0]}, call.Meta(0).dtype);
}

// ---- varlen_attn: query [T, H, D], the sequences one after another

// (output, logsumexp [H, T], state of the random generator)
void ReturnLogSumExp(Call& call, const TensorMeta& query) {
  ReturnContiguous(call, Dims{query.sizes[1], query.sizes[0]}, ScalarType::Float);
}

void VarlenAttention(Call& call) {
  RequireRank(call, 0, 3);
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
  ReturnLogSumExp(call, call.Meta(0));
  ReturnContiguous(call, Dims{2}, ScalarType::UInt64);
}

void VarlenAttentionOut(Call& call) {
  RequireRank(call, 1, 3);
  call.Write(call.TensorArg(0));
  ReturnLogSumExp(call, call.Meta(1));
}

// (gradients of query, key and value)
void VarlenAttentionBackward(Call& call) {
  RequireRank(call, 1, 3);
  for (int i : {1, 2, 3}) ReturnLike(call, call.Meta(i), call.Meta(i).dtype);
}

constexpr RuleRow kRows[] = {
    {"torch_nn::_linear_cross_entropy_batch_chunked", LinearCrossEntropy},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction", LinearCrossEntropyByItem},
    {"torch_attn::_varlen_attn", VarlenAttention},
    {"torch_attn::_varlen_attn_out", VarlenAttentionOut},
    {"torch_attn::_varlen_attn_backward", VarlenAttentionBackward},
};

}  // namespace

RuleRows NnOperatorsRules() { return kRows; }

}  // namespace fakeprop::rules
