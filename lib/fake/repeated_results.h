// Serves a call by what an earlier one with the same key did.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>

#include "lib/fake/call_cache.h"

namespace fakeprop::fake {

// Nothing if the effects are other than new tensors, aliases, numbers, writes to data and changes of metadata, or have
// symbols.
std::optional<CallModel> ModelOf(const Effects& effects);

// Whether the effects of the call with this key can be copies of the model's. They are more in inference mode, and if
// the call writes to known data or changes a tensor with symbols.
bool MayCopy(const CallModel& model, const CallKey& key);
// Does this before the results are copied.
void RepeatMutations(const CallModel& model, const CallKey& key);
// Undefined for a result that is None.
at::Tensor CopyTensor(const ResultModel& model, const CallKey& key);

// Takes the arguments of the call with this key off the stack, and puts its results there.
void Replay(const c10::OperatorHandle& op, const KeptCall& kept, const CallKey& key, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
