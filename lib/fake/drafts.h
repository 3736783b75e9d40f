// Small tensors that a program fills after it made them empty. Their value is known as soon as every element is.
//
// at::tensor and torch::tensor of a vector write the elements by the data pointer, before the first operator sees the
// tensor. Braces, and code such as `lengths[i] = 3`, write one element after the other by operators.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

// A small one-dimensional fake on the cpu gets memory, and is a draft from now on.
void OpenForWriting(const at::Tensor& empty);

// If the call only looks at a part of drafts, or writes a number to one element, does the latter and returns true. All
// other calls close drafts.
bool WorksOnDrafts(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

// Closes the drafts of a call that `WorksOnDrafts` would not work on. Returns true if there were some.
bool CloseDrafts(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

// The value is known if it was written, else there is none.
void Close(const at::Tensor& fake, StorageRecord& record);

}  // namespace fakeprop::fake
