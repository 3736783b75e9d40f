// Runs operators for Python's functions, one after another, on the objects of a run.
#pragma once

#include <span>

#include "lib/rules/core/call.h"
#include "lib/schema/schema.h"

namespace fakeprop {

class OperatorHost {
 public:
  virtual ~OperatorHost() = default;
  // Runs one operator as for a node of the graph: autocast, rule or LibTorch, effects, autograd. `arguments` has one
  // value for each argument of the schema. Throws OpError.
  virtual Value CallOperator(const Schema& schema, std::span<const Value* const> arguments) = 0;
  // The file's tensor at a path of the graph's module. Null if there is none.
  virtual Tensor* FindAttribute(std::string_view path) = 0;
  // Returns true if there are tensors below a path. They belong to a submodule that the file does not describe
  // otherwise.
  virtual bool HasAttributesBelow(std::string_view) { return false; }
  virtual ExecutionState& state() = 0;
  virtual ObjectTable& objects() = 0;
};

}  // namespace fakeprop
