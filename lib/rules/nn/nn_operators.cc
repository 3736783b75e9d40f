// Operators that torch.nn registers from Python: the loss of a linear layer in chunks of the batch, and attention over
// sequences of their own lengths. Source: torch/nn/modules/linear_cross_entropy.py and torch/nn/attention/varlen.py
// (torch 2.13): results as register_fake has them, and the checks that only the operators make.
#include <algorithm>
#include <numeric>
#include <vector>

#include "lib/meta/dtype.h"
#include "lib/meta/ordered_strides.h"
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
  RequireOneOf(call, "reduction", {"mean", "sum"}, "takes the reduction \"mean\" or \"sum\", not \"{}\"");
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

// A result of other sizes than the query whose dimensions lie in the query's order.
// Source: _empty_with_matching_layout in torch/nn/attention/_utils.py (torch 2.15).
TensorMeta InOrderOf(const TensorMeta& query, Dims sizes) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  auto is_inner = [&](size_t a, size_t b) {
    const Dim x = query.strides[a], y = query.strides[b];
    return GuardOrFalse(Ne(x, 0)) && (GuardOrFalse(Eq(y, 0)) || GuardOrFalse(Lt(x, y)));
  };
  std::ranges::stable_sort(order, is_inner);
  TensorMeta result = ContiguousMeta(sizes, query.dtype, query.device);
  result.strides = StridesInOrder(sizes, order, EmptyDims::kMakeZeros);
  return result;
}

void RequireSequences(const Call& call) { call.In("query").Rank(3); }

// As the query, with as many features as the values have.
void ReturnAttention(Call& call) {
  const Operand query = call.In("query"), value = call.In("value").RankAtLeast(1, "takes values in 3 dimensions");
  Dims sizes = query->sizes;
  sizes.back() = value->sizes.back();
  if (GuardSameOrFalse(sizes, query->size_span())) {
    ReturnLike(call, query);
  } else {
    call.ReturnNew(InOrderOf(query, sizes));
  }
}

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
