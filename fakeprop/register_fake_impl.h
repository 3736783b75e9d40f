// Fake implementations for operators of other libraries. Source: torch.library.register_fake (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <string>

namespace fakeprop {

// Takes the operator's arguments, all fake, off the stack and puts fake results there, as a boxed kernel does. It may
// call operators; they are served as any others.
using FakeImpl = std::function<void(const c10::OperatorHandle& op, torch::jit::Stack& stack)>;

// For the operator of this name ("ns::name.overload"), until the process ends; a second one replaces the first.
void RegisterFakeImpl(const std::string& full_name, FakeImpl impl);

}  // namespace fakeprop
