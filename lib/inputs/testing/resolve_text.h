// Resolved inputs as text, for tests.
#pragma once

#include <string>
#include <string_view>

#include "lib/graph/graph.h"

namespace fakeprop::testing {

// Reads a graph of testdata/inputs.
Graph ReadInputGraph(const std::string& name);

// The text of a spec with these inputs.
std::string Spec(const std::string& inputs);

// The graph's inputs with the spec, one line each. If the spec is wrong, its diagnostics, one line each.
std::string Resolve(const Graph& graph, const std::string& spec);

// As Resolve, with the hints of symbols in their place.
std::string ResolveAtHints(const Graph& graph, const std::string& spec);

// Only the lines of these inputs, and diagnostics. `names` is a list such as "x y".
std::string Resolve(const Graph& graph, const std::string& spec, std::string_view names);

}  // namespace fakeprop::testing
