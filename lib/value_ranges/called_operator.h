// The operator that a node calls, and what is known of it. Each operator is looked up once.
#pragma once

#include "lib/graph/graph.h"
#include "lib/interpreter/annotations.h"
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

const CalledOperator& OperatorOf(const Schema& schema);
// Null if the node calls no operator that has a schema.
const CalledOperator* OperatorOf(const NodeAnnotation& node);
// The same of a node that may not have run, which takes longer.
const CalledOperator* OperatorOf(const Node& node);

}  // namespace fakeprop
