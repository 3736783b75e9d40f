// Serves a call by what an earlier one with the same key did.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <vector>

#include "lib/fake/call_cache.h"

namespace fakeprop::fake {

// For results that all are new tensors of a storage of their own, and calls that change nothing else. Else none.
std::vector<ResultModel> ModelsOf(const Effects& effects);

// If the results of the call are all new tensors, puts them in place of the arguments. Else returns false.
bool ReplayNew(const c10::OperatorHandle& op, const KeptCall& kept, ModeState& mode, torch::jit::Stack& stack);

// Takes the arguments of the call with this key off the stack, and puts its results there.
void Replay(const c10::OperatorHandle& op, const KeptCall& kept, const CallKey& key, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
