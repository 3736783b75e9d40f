// Which nodes a node reads and which it writes.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/graph/graph.h"

namespace fakeprop {

// The nodes of the same graph whose results are arguments of the node, each once, in the order of the arguments.
std::vector<int32_t> InputNodes(const Node& node);

// Those of them whose tensors the call writes: by the operator's schema, or as Python names it (`add_`,
// `operator.iadd`).
std::vector<int32_t> WrittenNodes(const Node& node);

}  // namespace fakeprop
