// One operation on other arguments.
#pragma once

#include <vector>

#include "lib/symbolic/node.h"

namespace fakeprop {

// The node's operation on these arguments, simplified anew, in the arena of the arguments. There are as many as the
// node has; a node without arguments is returned as it is. Throws an OpError of class Overflow if the result leaves 64
// bits or is too large.
Sym Rebuild(Sym node, const std::vector<Sym>& arguments);

}  // namespace fakeprop
