// LibTorch's exceptions as errors of an operator call.
#pragma once

#include <string>
#include <string_view>

#include "lib/error/error.h"

namespace c10 {
class Error;
}

namespace fakeprop::dispatch {

// A kernel's result shares storage with an argument, and the schema does not say so.
struct UndeclaredAliasing final : OpError {
  using OpError::OpError;
};

OpError ToOpError(const c10::Error& error);

// The first line of a message of LibTorch, as all versions of LibTorch write it: without the places of assertions, the
// kernels of a build, and the names that some versions write before matrix products ("mm: mat1 and mat2 ...").
std::string PlainMessage(std::string_view message);

// Finds the class by the message, because LibTorch has only few exception classes.
ErrorClass ClassOfMessage(std::string_view message);

}  // namespace fakeprop::dispatch
