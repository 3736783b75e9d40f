// Which calls of a graph may write to tensors.
#pragma once

#include <span>
#include <string_view>
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

// Returns true for functions of Python's operator module that write to their first argument: `_operator.iadd`,
// `_operator.setitem`.
bool PythonOperatorWrites(std::string_view target);

// The places of the arguments that the operator writes to. An argument without a name is the one at its place.
std::vector<size_t> WrittenArguments(std::span<const Argument> arguments, const Schema& schema);

// The same of a node. Where there is no schema (null), names tell: `x.add_(y)`, `torch.relu_(x)`, `x += y`, `x[0] = y`,
// `out=`.
std::vector<size_t> WrittenArguments(const Node& node, const Schema* schema);

}  // namespace fakeprop
