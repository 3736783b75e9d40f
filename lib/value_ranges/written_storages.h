// Which storages a run writes to. The ranges of their elements change from node to node.
#pragma once

#include <unordered_set>

#include "lib/interpreter/annotations.h"
#include "lib/schema/schema.h"

namespace fakeprop {

struct WrittenStorages {
  std::unordered_set<const Storage*> outermost;  // by operators of the outermost graph, in its order
  std::unordered_set<int32_t> writers;           // the nodes that call these operators
  std::unordered_set<const Storage*> elsewhere;  // by subgraphs, or by calls that do not say what they write
};

WrittenStorages FindWrittenStorages(const Graph& graph, const Annotations& annotations);

// The schema of the operator that the node calls; null if it calls none.
const Schema* SchemaOf(const Node& node);

// The values of the arguments that the operator writes to, as positions in Node::arguments.
std::vector<size_t> WrittenArguments(const Node& node, const Schema& schema);

}  // namespace fakeprop
