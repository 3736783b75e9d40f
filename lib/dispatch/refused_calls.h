// Refuses calls that LibTorch does not survive, since a kernel does not check sizes and reads beyond its arguments.
// Also refuses calls that do more than compute.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::dispatch {

// Throws an OpError for such a call.
void RefuseCalls(const Call& call);

}  // namespace fakeprop::dispatch
