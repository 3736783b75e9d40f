// Runs operator calls from text as the interpreter does: by a rule, else by the LibTorch fallback.
#pragma once

#include <functional>
#include <string>

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop::testing {

// The effects of the call, in the form in which `tools/dev/truth/record_calls.py --lines` writes PyTorch's: strides
// that do not matter (of dimensions of size 1, of empty tensors) as if contiguous, metadata changes in the order of the
// arguments, no writes. An error is "!Class: message". `state` has the torch whose answers are given.
std::string Served(const std::string& call_text, LibTorchFallback& libtorch, const ExecutionState& state = {});

// The same, but `run` serves the call.
std::string ServedBy(
    const std::string& call_text, const std::function<void(Call&)>& run, const ExecutionState& state = {});

}  // namespace fakeprop::testing
