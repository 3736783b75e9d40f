// Runs graphs through another host of the rules, to compare hosts.
#pragma once

#include "lib/interpreter/run_graph.h"

namespace fakeprop {

// As RunGraph, but `stand_in` serves the operators that it knows, in place of rules and autocast.
Annotations RunGraphThrough(
    const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options, LibTorchFallback& stand_in);

}  // namespace fakeprop
