// How each operator is served.
#pragma once

#include <string>

#include "lib/graph/graph.h"

namespace fakeprop::cli {

// Every operator of the schema table, one line each, sorted.
std::string ListOperators();

// Those that a graph and its subgraphs call, with how often.
std::string ListOperators(const Graph& graph);

}  // namespace fakeprop::cli
