// Serves operators by the fake implementations that a program registered (fakeprop/register_fake_impl.h).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::dispatch {

// Returns false if there is none.
bool ServeByFakeImpl(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
