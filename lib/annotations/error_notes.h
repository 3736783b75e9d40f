// Notes on errors that need the whole run: the nodes that were skipped, the sizes at which the run failed, and the
// inputs that differ from those that the graph recorded.
#pragma once

#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"

namespace fakeprop {

// Adds the notes to the errors of a run of the graph with these inputs.
void ExplainErrors(const Graph& graph, const std::vector<InputValue>& inputs, Annotations& annotations);

}  // namespace fakeprop
