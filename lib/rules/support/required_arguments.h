// Reads required arguments of types that Call reads as optional. If a graph has None there, throws an OpError of class
// TypeError, as for any argument of a wrong type.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

ScalarType RequiredDtype(const Call& call, ArgumentName name = "dtype");
MemoryFormat RequiredMemoryFormat(const Call& call, ArgumentName name = "memory_format");

}  // namespace fakeprop::rules
