// Casts an operator's arguments as autocast does before the operator runs. Source: ATen/autocast_mode.h (torch 2.13).
#pragma once

#include "lib/meta/call_arguments.h"
#include "lib/rules/core/call.h"

namespace fakeprop {

// Returns true if autocast is on for a device type.
inline bool IsAutocastOn(const ExecutionState& state) {
  return state.cpu_autocast.enabled || state.cuda_autocast.enabled;
}

// Replaces the arguments as autocast does: eligible floating-point tensors become new tensors of `objects` in another
// dtype. Returns true if the operator has a policy, or if it is known which casts have the effect of its parts'
// policies.
bool CastArguments(const Schema& schema, const ExecutionState& state, CallArguments& arguments, ObjectTable& objects);

// Casts every eligible tensor to the region's dtype, as for the inner operators on autocast's lists.
void CastAll(const ExecutionState& state, CallArguments& arguments, ObjectTable& objects);

// Returns true if the operators that a composite operator consists of may have a policy. If the operator has none
// itself, autocast applies to these.
bool MayHaveListedParts(const Schema& schema);

}  // namespace fakeprop
