// Runs one node alone, on given inputs.
#pragma once

#include <functional>
#include <optional>

#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"

namespace fakeprop {

struct Replayed {
  Value value;
  std::shared_ptr<ObjectTable> objects;  // owns what the value points to
};

// `input` gives the value of each node that `node` uses. Returns nothing if the node fails, if `input` has no value for
// one of its inputs, or if it runs a subgraph. A getitem is run together with the call whose result it takes.
std::optional<Replayed> ReplayNode(const Graph& graph, int32_t node, const RunOptions& options,
    const std::function<std::optional<InputValue>(int32_t)>& input);

// The nodes whose values a node uses.
std::vector<int32_t> InputsOf(const Node& node);

bool IsGetitem(const Node& node);

}  // namespace fakeprop
