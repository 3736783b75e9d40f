// What autocast does to an operator's arguments before it runs. Source: ATen/autocast_mode.h (torch 2.13).
#pragma once

#include "lib/meta/call_arguments.h"
#include "lib/rules/core/call.h"
#include "lib/rules/core/operator_facts.h"

namespace fakeprop {

// Whether autocast is on for some device type.
inline bool IsAutocastOn(const ExecutionState& state) {
  return state.cpu_autocast.enabled || state.cuda_autocast.enabled;
}

// Makes of the arguments what autocast hands on: eligible floating-point tensors in another dtype, as new tensors of
// `objects`. Gives whether a policy applied to the operator.
bool CastArguments(const Schema& schema, const ExecutionState& state, CallArguments& arguments, ObjectTable& objects);

// The same for every eligible tensor, in the region's dtype: what an operator's parts that autocast lists would get.
void CastAll(const ExecutionState& state, CallArguments& arguments, ObjectTable& objects);

// Whether autocast may have a policy for what a composite operator without one consists of: it then goes by its parts.
// `parts` is the fact of the operator's row.
bool MayHaveListedParts(const Schema& schema, AutocastParts parts, const ExecutionState& state);

}  // namespace fakeprop
