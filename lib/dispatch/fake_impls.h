// Fake implementations that a program gives for operators which have none: torch.library.register_fake (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>

namespace fakeprop::dispatch {

// Takes the operator's arguments, all fake, off the stack and puts fake results there, as a boxed kernel does. It may
// call operators; they are served as any others.
using FakeImpl = std::function<void(const c10::OperatorHandle& op, torch::jit::Stack& stack)>;

// For the operator of this name ("ns::name.overload"), until the process ends; a second one replaces the first.
void RegisterFakeImpl(const std::string& full_name, FakeImpl impl);

// False where there is none.
bool ServeByFakeImpl(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
