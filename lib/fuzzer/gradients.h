// Compares which results and arguments require grad, by our rules and by autograd.
#pragma once

#include <string>

#include "lib/fuzzer/compare_call.h"

namespace fakeprop::fuzzer {

// The difference, if the tensors of the call are as the oracle wants them (leaves, views ...). Empty if there is none.
std::string CompareGradients(const std::string& call_text, Oracle oracle);

}  // namespace fakeprop::fuzzer
