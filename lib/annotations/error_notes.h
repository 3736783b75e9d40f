// Notes on errors that the whole run explains: what was skipped, at which sizes it failed, which inputs are others than
// the graph recorded.
#pragma once

#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"

namespace fakeprop {

// Adds the notes to the errors of a run of the graph with these inputs.
void ExplainErrors(const Graph& graph, const std::vector<InputValue>& inputs, Annotations& annotations);

}  // namespace fakeprop
