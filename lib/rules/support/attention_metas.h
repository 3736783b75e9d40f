// Shared by the rules of attention: the demands on query, key and value, and their gradients.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

struct AttentionOperands {
  Operand query, key, value;
};
AttentionOperands AttentionOperandsOf(const Call& call);

// The d-th size counted from the end: 1 for the last.
Dim SizeFromEnd(const TensorMeta& t, int64_t d);

// A demand on the shapes of query, key and value, which the error shows.
void RequireAttention(const Call& call, Demanded holds, const char* otherwise);

// Demand that query, key and value have at least 2 dimensions, or exactly 4.
void RequireAttentionRank(const Call& call);
void RequireAttentionRank4(const Call& call);

// The dtype that attention computes in: float32 for half precision.
ScalarType AttentionComputeDtype(ScalarType dtype);

// Gradients of query, key and value, each laid out as its tensor.
void ReturnLikeQueryKeyValue(Call& call);

}  // namespace fakeprop::rules
