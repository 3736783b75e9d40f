// Calls with conjugated and negated views, whose bits eager applies to copies that it hands to the kernel.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop {

// Demands that eager can make these copies and write them back. The call has its effects.
void RequireBitsApplied(const Call& call);

}  // namespace fakeprop
