// Reads the effects of a call off its results and its arguments.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/libtorch_fallback/plugin/argument_tensors.h"
#include "lib/rules/core/call.h"

namespace fakeprop::libtorch {

// States the effects of the operator, which has left its results on the stack.
void ReadEffects(
    const c10::OperatorHandle& op, const torch::jit::Stack& results, const ArgumentTensors& arguments, Call& call);

}  // namespace fakeprop::libtorch
