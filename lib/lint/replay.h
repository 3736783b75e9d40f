// Runs one node alone, on inputs of one's choosing.
#pragma once

#include <functional>
#include <optional>

#include "lib/inputs/inputs.h"
#include "lib/interpreter/propagate.h"

namespace fakeprop {

struct Replayed {
  Value value;
  std::shared_ptr<ObjectTable> objects;  // owns what the value points to
};

// `input` gives the value of a node that `node` uses. Nothing where the node fails, or where one of its inputs has no
// such value. A getitem is run with the call that it takes from; subgraphs are not run.
std::optional<Replayed> ReplayNode(const Graph& graph, int32_t node, const PropagateOptions& options,
    const std::function<std::optional<InputValue>(int32_t)>& input);

// The nodes that a node's arguments name.
std::vector<int32_t> InputsOf(const Node& node);

bool IsGetitem(const Node& node);

}  // namespace fakeprop
