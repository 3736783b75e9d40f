// Turns the error of one node into a diagnostic that says where it is, and what its operands are.
#pragma once

#include <span>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/meta/objects.h"

namespace fakeprop {

// `values`: what the graph's nodes produced so far, by node. `inputs`: of the outermost graph, for operands' origins;
// may be empty.
Diagnostic ReportNode(const Graph& graph, const Node& node, Code code, const std::string& message,
    std::span<const Tensor* const> operands, std::span<const Value> values, const std::vector<InputValue>& inputs);

}  // namespace fakeprop
