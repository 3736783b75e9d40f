// LibTorch's own Meta kernels on fake tensors.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/rules/core/operator_facts.h"

namespace fakeprop::dispatch {

// Runs the operator's Meta kernel on the arguments of the stack and marks its results with the device of the call: the
// device that an argument names, else the common device of the tensors. Tensors on two devices are an OpError of class
// DeviceMismatch, unless the operator takes them (`facts`).
void CallMetaKernel(const c10::OperatorHandle& op, const OperatorFacts& facts, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
