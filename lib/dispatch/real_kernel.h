// LibTorch's CPU kernels, run on zeros for the metadata of their results.
// Source: run_fallback_kernel in torch/_subclasses/fake_tensor.py (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::dispatch {

// Serves an operator of LibTorch's own whose tensors are small and on one device, for which its CPU kernel stands in;
// false, and the stack as it was, for others. The kernel runs in a child process, for on data that it was not made for
// it may do anything. What it throws is an OpError.
bool ServeByRealKernel(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
