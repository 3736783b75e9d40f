// Compares a real run and a fake run of one operator. Source: CrossRefFakeMode in torch/_subclasses/fake_utils.py
// (torch 2.13).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace fakeprop::fake {

// Runs the operator on fakes of the tensors on the stack, then on the real tensors. Compares sizes, strides, offset,
// dtype, device and aliasing of the results, and of the arguments after the call. At the first difference throws a
// MetadataMismatch that names the operator and both values. Does not compare if the result depends on data, or if
// nothing serves the operator on fakes.
void RunCrossChecked(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
