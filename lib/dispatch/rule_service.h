// Serves an operator on fake tensors by fakeprop's own rule for it.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/schema/schema.h"

namespace fakeprop::dispatch {

// Takes the operator's arguments off the stack and puts its results there; false, and the stack as it was, where no
// rule serves the operator. `schema` is the operator's, null where it is unknown. Errors of the rule are OpErrors.
bool ServeByRule(const c10::OperatorHandle& op, const Schema* schema, torch::jit::Stack& stack);

// Our rule for this operator is left out on this thread: to compare it with LibTorch.
class WithoutRule {
 public:
  explicit WithoutRule(std::string_view op);
  ~WithoutRule();
  WithoutRule(const WithoutRule&) = delete;

 private:
  const std::string_view outer_;
};

}  // namespace fakeprop::dispatch
