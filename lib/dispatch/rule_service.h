// Serves an operator on fake tensors by fakeprop's own rule for it.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/dispatch/operator_info.h"

namespace fakeprop::dispatch {

// Takes the operator's arguments off the stack and puts its results there. If no rule serves the operator, returns
// false and leaves the stack as it was. Throws OpError if the rule fails.
bool ServeByRule(const c10::OperatorHandle& op, const OperatorInfo& info, torch::jit::Stack& stack);

// As long as it lives, this thread does not use our rule for the operator. This is for comparisons with LibTorch.
class WithoutRule {
 public:
  explicit WithoutRule(std::string_view op);
  ~WithoutRule();
  WithoutRule(const WithoutRule&) = delete;

 private:
  const std::string_view outer_;
};
// Returns true if one lives in this thread.
bool LeavesOutRule();

}  // namespace fakeprop::dispatch
