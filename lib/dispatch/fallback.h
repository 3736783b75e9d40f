// Serves operators on fake tensors: the boxed fallback of the dispatch key Fake.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::dispatch {

// Registers the fallback, once; not where LibTorch has one of its own.
void RegisterFakeFallback();

// Serves the operator on the stack by the first of: a rule of ours, a fake implementation that was registered for it,
// LibTorch's Meta kernel, its composite kernel with Fake still on, its CPU kernel on zeros where the host allows it;
// else throws an OpError that names it.
void Serve(const c10::OperatorHandle& op, torch::jit::Stack& stack);

// Called in the place of Serve, which it calls in turn: for what a host has to do about every call.
using Server = void (*)(const c10::OperatorHandle& op, torch::jit::Stack& stack);
void SetServer(Server server);

// "aten::add.Tensor".
std::string FullName(const c10::OperatorName& name);

}  // namespace fakeprop::dispatch
