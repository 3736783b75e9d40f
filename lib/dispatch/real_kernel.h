// Runs LibTorch's CPU kernels on zeros to get the metadata of their results. Source: run_fallback_kernel in
// torch/_subclasses/fake_tensor.py (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::dispatch {

// Serves one of LibTorch's own operators by its CPU kernel, if the tensors are small and on one device. Otherwise
// returns false and leaves the stack as it was. The kernel runs in a child process, because it can do anything on data
// that it was not made for. Its exceptions become OpErrors.
bool ServeByRealKernel(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
