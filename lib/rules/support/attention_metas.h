// What the rules of attention share: their demands of query, key and value, and gradients of these.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

struct AttentionOperands {
  Operand query, key, value;
};
AttentionOperands AttentionOperandsOf(const Call& call);

// The d-th size counted from the end: 1 for the last.
Dim SizeFromEnd(const TensorMeta& t, int64_t d);

// An OpError of class ShapeMismatch with the shapes of all three.
[[noreturn]] void FailAttention(const Call& call, const char* why);

// At least 2 dimensions each, or exactly 4.
void RequireAttentionRank(const Call& call);
void RequireAttentionRank4(const Call& call);

// The dtype that attention computes in: float32 for half precision.
ScalarType AttentionComputeDtype(ScalarType dtype);

// Gradients of query, key and value, each laid out as its tensor.
void ReturnLikeQueryKeyValue(Call& call);

}  // namespace fakeprop::rules
