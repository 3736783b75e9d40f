// Fakes of real tensors of other layouts than strided.
#pragma once

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

// The fake of such a tensor, without what autograd knows of it. Its parts are the fakes of the tensor's parts. If sizes
// become symbols, they are new tensors, and the number of elements gets a symbol of its own.
at::Tensor ConvertLayout(ModeState& mode, const at::Tensor& real, c10::Device device, const FromRealOptions& options);

}  // namespace fakeprop::fake
