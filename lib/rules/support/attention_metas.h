// What the rules of attention ask of query, key and value, the first three arguments.
#pragma once

#include <string>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

enum AttentionArgument { kQuery, kKey, kValue };

// The d-th size counted from the end: 1 for the last.
Dim SizeFromEnd(const TensorMeta& t, int64_t d);

// An OpError of class ShapeMismatch with the shapes of all three.
[[noreturn]] void FailAttention(const Call& call, const std::string& why);

// At least 2 dimensions each.
void RequireAttentionRank(const Call& call);

}  // namespace fakeprop::rules
