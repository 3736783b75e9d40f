// Whether results and arguments require grad, by our account and by autograd's own.
#pragma once

#include <string>

#include "lib/fuzzer/compare_call.h"

namespace fakeprop::fuzzer {

// What differs when the call's tensors are as the oracle has them; empty where nothing does.
std::string CompareGradients(const std::string& call_text, Oracle oracle);

}  // namespace fakeprop::fuzzer
