// Graphs by way of another host of the rules, to compare hosts.
#pragma once

#include "lib/interpreter/propagate.h"

namespace fakeprop {

// As Propagate, but `stand_in` serves the operators that it knows, in the place of rules and autocast.
Annotations PropagateThrough(const Graph& graph, const std::vector<InputValue>& inputs, const PropagateOptions& options,
    LibTorchFallback& stand_in);

}  // namespace fakeprop
