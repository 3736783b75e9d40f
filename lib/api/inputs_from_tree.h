// The inputs of a graph from a spec that is a tree already (fakeprop/graph_inputs.h takes its text).
#pragma once

#include <optional>

#include "fakeprop/graph_inputs.h"
#include "lib/json/json_tree.h"

namespace fakeprop::api {

std::optional<Inputs> ResolveInputs(const LoadedGraph& graph, const JsonTree& spec, DiagnosticSink& sink);

}  // namespace fakeprop::api
