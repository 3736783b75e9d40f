// Finds subgraphs by their paths in annotations.
#pragma once

#include <string_view>

#include "lib/graph/graph.h"

namespace fakeprop {

// "" is the graph itself, "true_graph_0.false_graph_0" a subgraph of a subgraph. Null if there is no such graph.
const Graph* TryGraphAt(const Graph& graph, std::string_view path);

// The same for a path that must exist.
const Graph& GraphAt(const Graph& graph, std::string_view path);

}  // namespace fakeprop
