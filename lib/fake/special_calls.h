// Operators that are about more than metadata: pinned memory, storages of files, numbers that are drawn or written.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

// Serves a call of such an operator. Returns false for calls that need nothing special, and leaves the stack as it is.
using SpecialServer = bool (*)(ModeState& mode, const c10::OperatorHandle& op, torch::jit::Stack& stack);
// Null for all other operators.
SpecialServer FindSpecialServer(std::string_view full_name);

// A tensor without elements that are not zero. LibTorch's kernels for such tensors see it by its key.
at::Tensor AsZeroTensor(const at::Tensor& made);

}  // namespace fakeprop::fake
