// Turns the error of one node into a diagnostic with its place and its operands.
#pragma once

#include <span>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/meta/objects.h"

namespace fakeprop {

// `values` are the results of the graph's nodes so far. `inputs` are those of the outermost graph, for the origins of
// operands; may be empty.
Diagnostic ReportNode(const Graph& graph, const Node& node, Code code, const std::string& message,
    std::span<const Tensor* const> operands, std::span<const Value> values, const std::vector<InputValue>& inputs);

}  // namespace fakeprop
