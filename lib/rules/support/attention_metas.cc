#include "lib/rules/support/attention_metas.h"

#include "lib/rules/core/results.h"

namespace fakeprop::rules {
namespace {

constexpr ArgumentName kOperands[] = {"query", "key", "value"};

}  // namespace

AttentionOperands AttentionOperandsOf(const Call& call) { return {call.In("query"), call.In("key"), call.In("value")}; }

Dim SizeFromEnd(const TensorMeta& t, int64_t d) { return t.sizes[t.rank() - d]; }

void RequireAttention(const Call& call, Demanded holds, const char* otherwise) {
  if (holds) return;
  const auto [q, k, v] = AttentionOperandsOf(call);
  FailShape({"{}: {}: query {}, key {}, value {}", OpName(call), otherwise, q->sizes, k->sizes, v->sizes});
}

void RequireAttentionRank(const Call& call) {
  for (ArgumentName name : kOperands)
    RequireAttention(
        call, call.In(name)->rank() >= 2, "expected query, key, and value to all be at least 2 dimensional");
}

void RequireAttentionRank4(const Call& call) {
  for (ArgumentName name : kOperands)
    RequireAttention(call, call.In(name)->rank() == 4, "query, key and value need 4 dimensions");
}

ScalarType AttentionComputeDtype(ScalarType dtype) { return IsHalf(dtype) ? ScalarType::Float : dtype; }

void ReturnLikeQueryKeyValue(Call& call) {
  for (ArgumentName name : kOperands) {
    const Operand t = call.In(name);
    ReturnLike(call, t);
  }
}

}  // namespace fakeprop::rules
