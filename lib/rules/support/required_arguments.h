// Arguments that Call reads as optional, for operators that require them. Where a graph writes None for one, that is an
// OpError of class TypeError, as for any argument of a wrong type.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

ScalarType RequiredDtype(const Call& call, ArgumentName name = "dtype");
MemoryFormat RequiredMemoryFormat(const Call& call, ArgumentName name = "memory_format");

}  // namespace fakeprop::rules
