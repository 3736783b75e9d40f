// Fake implementations for operators of other libraries. Source: torch.library.register_fake (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <string>

namespace fakeprop {

// Takes the operator's arguments, which are fake, off the stack, and puts fake results there, as a boxed kernel does.
// It may call other operators.
using FakeImpl = std::function<void(const c10::OperatorHandle& op, torch::jit::Stack& stack)>;

// Registers the implementation of the operator of this name ("ns::name.overload") until the process ends. A second one
// replaces the first.
void RegisterFakeImpl(const std::string& full_name, FakeImpl impl);

}  // namespace fakeprop
