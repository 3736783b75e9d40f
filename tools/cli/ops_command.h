// Lists operators, and how each one is served.
#pragma once

#include <string>

#include "lib/graph/graph.h"
#include "lib/report/report_data.h"

namespace fakeprop::cli {

// What serves the call of a node. `root` is the outermost graph.
NodeService ServiceOf(const Node& node, const Graph& root);

// Every operator of the schema table, one line each, sorted.
std::string ListOperators();

// The operators that a graph and its subgraphs call, with the number of calls.
std::string ListOperators(const Graph& graph);

}  // namespace fakeprop::cli
