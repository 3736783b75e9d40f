// The operator that a node calls, and what is known of it. Each target is looked up once.
#pragma once

#include "lib/graph/graph.h"
#include "lib/schema/schema.h"
#include "lib/value_ranges/transfers.h"

namespace fakeprop {

struct CalledOperator {
  std::string_view word;  // "add" of the target "torch.ops.aten.add.Tensor"; empty for other libraries
  const Schema* schema = nullptr;
  OperatorRanges ranges;
  bool writes = false;   // to an argument
  bool narrows = false;  // tells something of the elements of other nodes' tensors (assertions.cc)
};

// Null if the node calls no operator that has a schema.
const CalledOperator* OperatorOf(const Node& node);
// The same of a call inside of a node.
const CalledOperator& OperatorOf(const Schema& schema);

}  // namespace fakeprop
