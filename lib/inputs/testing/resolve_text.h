// Inputs as text, for tests to compare.
#pragma once

#include <string>
#include <string_view>

#include "lib/graph/graph.h"

namespace fakeprop::testing {

// A graph of testdata/inputs.
Graph ReadInputGraph(const std::string& name);

// A spec with these inputs.
std::string Spec(const std::string& inputs);

// What the spec makes of the graph's inputs, one line each; or its diagnostics, one line each.
std::string Resolve(const Graph& graph, const std::string& spec);

// The lines of these inputs alone, and diagnostics. `names`: "x y".
std::string Resolve(const Graph& graph, const std::string& spec, std::string_view names);

}  // namespace fakeprop::testing
