// Operator calls as text, served as the interpreter serves them: by a rule, else by the LibTorch fallback.
#pragma once

#include <functional>
#include <string>

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop::testing {

// The effects of the call in the form in which `tools/dev/truth/record_calls.py --lines` writes PyTorch's: strides that
// address nothing (of size 1, of empty tensors) as if contiguous, changes of arguments' metadata in the order of the
// arguments, no writes. An error is "!Class: message".
std::string Served(const std::string& call_text, LibTorchFallback& libtorch);

// The same as somebody else serves it.
std::string ServedBy(const std::string& call_text, const std::function<void(Call&)>& run);

}  // namespace fakeprop::testing
