// A rule's error as an exception for LibTorch's callers.
#pragma once

#include <string>

#include "lib/error/error.h"

namespace fakeprop::fake {

// Throws the exception of fakeprop/fake_tensor_errors.h, or of LibTorch, that stands for a rule's error in a call of
// `op`.
[[noreturn]] void ThrowFor(const std::string& op, const OpError& error);

}  // namespace fakeprop::fake
