// What Python's functions stand on: operators, run one after another on the objects of a run.
#pragma once

#include <span>

#include "lib/rules/core/call.h"
#include "lib/schema/schema.h"

namespace fakeprop {

class OperatorHost {
 public:
  virtual ~OperatorHost() = default;
  // Runs one operator as a node of the graph would: autocast, rule or LibTorch, effects, autograd. `arguments`: one for
  // each of the schema's. Throws OpError.
  virtual Value CallOperator(const Schema& schema, std::span<const Value* const> arguments) = 0;
  // The file's tensor at a path of the graph's module; null if it has none.
  virtual Tensor* FindAttribute(std::string_view path) = 0;
  // Whether there are tensors below a path: of a submodule that the file describes no further.
  virtual bool HasAttributesBelow(std::string_view) { return false; }
  virtual ExecutionState& state() = 0;
  virtual ObjectTable& objects() = 0;
};

}  // namespace fakeprop
