// Resolves inputs by a spec that is a tree already (inputs.h takes its text).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// As the function of inputs.h that takes text.
std::optional<std::vector<InputValue>> ResolveInputs(const Graph& graph, const JsonTree& spec,
    std::string_view spec_name, DiagnosticSink& sink, ShapeEnv* env = nullptr);

}  // namespace fakeprop
