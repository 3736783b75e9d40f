// LibTorch's own Meta kernels on fake tensors.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/rules/core/operator_facts.h"

namespace fakeprop::dispatch {

// Runs the operator's Meta kernel on the arguments of the stack and stamps its results with the device of the call: the
// device that an argument names, else the tensors' common one. Tensors on two devices are an OpError of class
// DeviceMismatch, but for operators that take such (`facts`).
void CallMetaKernel(const c10::OperatorHandle& op, const OperatorFacts& facts, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
