// Applies the effects of a call to fake tensors.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/rules/core/effects.h"

namespace fakeprop::dispatch {

// A tensor object in a call's effects, and the fake tensor on the stack that it stands for.
struct StandIn {
  const Tensor* object;
  const at::Tensor* fake;
};
using StandIns = c10::SmallVector<StandIn, 6>;

// The fake tensor of an object. It is an InternalError if there is none.
const at::Tensor& FakeOf(c10::ArrayRef<StandIn> tensors, const Tensor* object);

// Takes the operator's arguments, in which the tensors are, off the stack, and puts its results there.
void ApplyEffects(
    const c10::OperatorHandle& op, const Effects& effects, c10::ArrayRef<StandIn> tensors, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
