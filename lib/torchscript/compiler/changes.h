// Which values of a graph are written to.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "lib/torchscript/compiler/ir.h"
#include "lib/torchscript/compiler/op_schema.h"

namespace fakeprop::script {

enum class Change {
  kNone,
  kMaybe,   // a value is written to that may be the same, or a view of it
  kSurely,  // the value itself is written to
};

class Changes {
 public:
  Changes(IrGraph& graph, OperatorTable& operators);

  Change Of(const IrValue& value) const;

 private:
  void Follow(IrBlock& block, OperatorTable& operators);
  void FollowNode(const IrNode& node, OperatorTable& operators);
  void FollowCall(const IrNode& node, const OpSchema& schema);
  void Join(const IrValue* a, const IrValue* b);
  // With all values of its type that come from anywhere.
  void JoinUnknown(const IrValue* value);
  const IrValue* Root(const IrValue* value) const;

  mutable std::unordered_map<const IrValue*, const IrValue*> parents_;
  std::unordered_set<const IrValue*> writes_, written_roots_;
  std::map<TypeRef, IrValue> unknown_;
};

}  // namespace fakeprop::script
