// Which calls of a graph may write to tensors.
#pragma once

#include <vector>

#include "lib/graph/graph.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// Returns true if the call of a target without a schema may write to any tensor that it is given.
bool IsUnknownWriter(const Node& node);

// Returns true if a node of the graph or of its subgraphs may write.
bool HasWriters(const Graph& graph);

// Returns true if a node of the graph or of its subgraphs may change which items a list or dict has.
bool HasListWrites(const Graph& graph);

// Nodes of TorchScript that put tensors into a list or tuple, and take it apart.
bool PassesOn(const Node& node);

// The positions of the arguments that the operator writes to.
std::vector<size_t> WrittenArguments(std::span<const Argument> arguments, const Schema& schema);

}  // namespace fakeprop
