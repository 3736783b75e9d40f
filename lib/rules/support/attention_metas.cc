#include "lib/rules/support/attention_metas.h"

#include "lib/rules/core/results.h"

namespace fakeprop::rules {

Dim SizeFromEnd(const TensorMeta& t, int64_t d) { return t.sizes[t.rank() - d]; }

void FailAttention(const Call& call, const std::string& why) {
  Fail(ErrorClass::kShapeMismatch, OpName(call) + ": " + why + ": query " + ToString(call.Meta(kQuery).size_span()) +
                                       ", key " + ToString(call.Meta(kKey).size_span()) + ", value " +
                                       ToString(call.Meta(kValue).size_span()));
}

void RequireAttentionRank(const Call& call) {
  for (int i : {kQuery, kKey, kValue})
    if (call.Meta(i).rank() < 2) FailAttention(call, "query, key and value need at least 2 dimensions");
}

}  // namespace fakeprop::rules
