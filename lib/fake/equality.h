// The answers of at::equal.
#pragma once

#include <ATen/core/stack.h>

#include <optional>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

// The answer to a call of aten::equal on this stack, under the mode's options, for tensors of one device. Nothing if
// data decides.
std::optional<bool> AnswerEqual(const ModeState& mode, const torch::jit::Stack& stack);

}  // namespace fakeprop::fake
