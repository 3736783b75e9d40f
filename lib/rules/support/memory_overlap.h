// Tensors that an operator reads and that lie in part where it writes.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop::rules {

// Demands that the call reads no elements of `written` but those that the facts allow (ReadsWritten, Compares,
// MathBits). If the call has resized `written` already, its new size counts.
void RequireNoPartOf(const Call& call, const Tensor& written, const OperatorFacts& facts);

}  // namespace fakeprop::rules
