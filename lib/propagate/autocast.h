// What autocast does to an operator's arguments before it runs. Source: ATen/autocast_mode.h (torch 2.13).
#pragma once

#include <deque>
#include <vector>

#include "lib/rules/call.h"

namespace fakeprop {

// Whether autocast is on for some device type.
inline bool IsAutocastOn(const WalkState& state) { return state.cpu_autocast.enabled || state.cuda_autocast.enabled; }

// The arguments as autocast hands them on: eligible floating-point tensors in another dtype, as new tensors of
// `objects`; what is replaced lives in `scratch`. Gives whether a policy applied to the operator.
bool CastArguments(const Schema& schema, const WalkState& state, std::vector<const Value*>& arguments, ObjectTable& objects,
                   std::deque<Value>& scratch);

// Whether a composite operator without a policy of its own goes by its parts, which may have one. Those that only rearrange
// or pass on their input, or whose parts have none, come out the same either way.
bool NeedsDecomposition(const Schema& schema);

}  // namespace fakeprop
