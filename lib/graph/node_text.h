// A node as messages and viewers show it.
#pragma once

#include <string>

#include "lib/graph/graph.h"

namespace fakeprop {

// "aten::mm(%relu, %y)", "aten::sum.dim_IntList(%x, dim=[1])".
std::string CallText(const Graph& graph, const Node& node);

// "%mm = aten::mm(%relu, %y)"
std::string NodeText(const Graph& graph, const Node& node);

}  // namespace fakeprop
