// TorchScript graphs as texts, to compare them.
#pragma once

#include <string>

#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// All that a graph says, a line for each node, input, value and text.
std::string TextOf(const ScriptGraph& graph);
// The first line that differs, as both texts have it. Empty if they are equal.
std::string FirstDifference(const std::string& got, const std::string& want);

}  // namespace fakeprop
