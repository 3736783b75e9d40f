// Which values of a graph may be written to.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "lib/torchscript/compiler/ir.h"
#include "lib/torchscript/compiler/op_schema.h"

namespace fakeprop::script {

class Changes {
 public:
  Changes(IrGraph& graph, OperatorTable& operators);

  // Whether a node writes to the value, or to one that may be the same or a view of it.
  bool MayChange(const IrValue& value) const { return written_.contains(Root(&value)); }

 private:
  void Follow(IrBlock& block, OperatorTable& operators);
  void FollowNode(const IrNode& node, OperatorTable& operators);
  void Join(const IrValue* a, const IrValue* b);
  const IrValue* Root(const IrValue* value) const;

  std::unordered_map<const IrValue*, const IrValue*> parents_;
  std::unordered_set<const IrValue*> writes_, written_;
};

}  // namespace fakeprop::script
