// Serves a call by what an earlier one with the same key did.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>

#include "lib/fake/call_cache.h"

namespace fakeprop::fake {

// Nothing if the effects are more than new tensors, aliases and writes to data, or have symbols.
std::optional<CallModel> ModelOf(const Effects& effects);

// Takes the arguments of the call with this key off the stack, and puts its results there.
void Replay(const c10::OperatorHandle& op, const KeptCall& kept, const CallKey& key, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
