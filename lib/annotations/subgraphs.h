// Subgraphs by the path under which annotations have them.
#pragma once

#include <string_view>

#include "lib/graph/graph.h"

namespace fakeprop {

// "" is the graph itself, "true_graph_0.false_graph_0" a subgraph of its subgraph; null where there is none.
const Graph* TryGraphAt(const Graph& graph, std::string_view path);

// The same, where it has to be there.
const Graph& GraphAt(const Graph& graph, std::string_view path);

}  // namespace fakeprop
