// Serves an operator on fake tensors by fakeprop's own rule for it.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::dispatch {

// Takes the operator's arguments off the stack and puts its results there; false, and the stack as it was, where no
// rule serves the operator. Errors of the rule are OpErrors.
bool ServeByRule(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
