// LibTorch's exceptions as errors of an operator call.
#pragma once

#include <string_view>

#include "lib/error/error.h"

namespace c10 {
class Error;
}

namespace fakeprop::dispatch {

// A kernel's result that shares storage with an argument, beside what the schema says.
struct UndeclaredAliasing final : OpError {
  using OpError::OpError;
};

OpError ToOpError(const c10::Error& error);

// LibTorch has few classes of exceptions; what went wrong stands in the message.
ErrorClass ClassOfMessage(std::string_view message);

}  // namespace fakeprop::dispatch
