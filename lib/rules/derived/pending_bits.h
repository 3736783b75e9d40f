// Calls with conjugated and negated views, whose bits eager applies to copies that it hands to the kernel.
#pragma once

#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// Demands that eager can make these copies and write them back. The call has its effects.
void RequireBitsApplied(const Call& call, const OperatorFacts& facts);

// Demands that the call has no negation to apply to this tensor of bools.
void RequireNoNegatedBools(const Call& call, const TensorMeta& t);

// What an out= form computes in the place of a view with pending bits is copied there, into contiguous memory if the
// view gets a new size.
void CopyResizedViews(Call& call);

}  // namespace fakeprop
