// Serves operators on fake tensors: the boxed fallback of the dispatch key Fake.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::dispatch {

// Registers the fallback. If there is another one for the key already, registers our kernel for each operator instead,
// which comes first; call it again for operators that were registered since. Thread-safe.
void RegisterFakeFallback();

// Serves the operator on the stack by the first of these that there is: our rule, a registered fake implementation,
// LibTorch's Meta kernel, its composite kernel with Fake still on, its CPU kernel on zeros if the host allows it. If
// there is none, throws an OpError that names the operator.
void Serve(const c10::OperatorHandle& op, torch::jit::Stack& stack);

// Called in place of Serve, and calls Serve itself. A host uses it to do something at every call.
using Server = void (*)(const c10::OperatorHandle& op, torch::jit::Stack& stack);
void SetServer(Server server);

// "aten::add.Tensor".
std::string FullName(const c10::OperatorName& name);

}  // namespace fakeprop::dispatch
