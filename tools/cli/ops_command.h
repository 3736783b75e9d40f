// Lists operators, and how each one is served.
#pragma once

#include <string>

#include "lib/graph/graph.h"

namespace fakeprop::cli {

// Every operator of the schema table, one line each, sorted.
std::string ListOperators();

// The operators that a graph and its subgraphs call, with the number of calls.
std::string ListOperators(const Graph& graph);

}  // namespace fakeprop::cli
