// Device mistakes that PyTorch's fake tensors do not see.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace fakeprop::fake {

// A few rules take tensors on several devices, because FakeTensorMode does: convolutions, some backward kernels,
// operators that return no new tensor (fused optimisers). `//lib/fuzzer:device_mix` finds them. Eager
// mode does not: the generated wrappers of cuda's kernels demand one device. Returns true for such operators.
// Source: device_check in native_functions.yaml, check_and_update_common_device (torch 2.13).
bool IsOnOneDevice(const c10::OperatorHandle& op);
// If the tensors of a call are on two devices, throws FakeTensorDeviceMismatch that names both. Tensors on meta may
// mix.
void RequireOneDevice(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

}  // namespace fakeprop::fake
