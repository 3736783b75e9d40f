// Calls that LibTorch does not survive, by kernels that read beyond arguments of sizes that they take for granted, and
// calls that do more than compute.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::dispatch {

// Such a call is an OpError.
void RefuseCalls(const Call& call);

}  // namespace fakeprop::dispatch
