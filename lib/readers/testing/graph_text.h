// Graphs and diagnostics as text, for tests to compare.
#pragma once

#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"

namespace fakeprop::testing {

// All parts of a graph that a reader fills in: inputs, nodes, subgraphs, recorded values, ranges.
std::string GraphText(const Graph& graph);

// "FP1005 /graph_module/graph: the field `nodes` is missing", one line each.
std::string DiagnosticsText(const DiagnosticSink& sink);

}  // namespace fakeprop::testing
