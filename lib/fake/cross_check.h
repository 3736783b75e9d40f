// Real and fake run of one operator side by side. Source: CrossRefFakeMode in torch/_subclasses/fake_utils.py
// (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::fake {

// Runs the operator on the real tensors of the stack, and before that on fakes of them; throws MetadataMismatch, which
// names the operator and both values, at the first difference in sizes, strides, offset, dtype, device or aliasing of
// the results and of the arguments afterwards. What depends on data, and what nothing serves, is not compared.
void RunCrossChecked(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
