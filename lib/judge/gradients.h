// Whether results and arguments require grad, by our account and by autograd's own.
#pragma once

#include <string>

#include "lib/judge/judge.h"

namespace fakeprop::judge {

// What differs when the call's tensors are as the oracle has them; empty where nothing does.
std::string CompareGradients(const std::string& call_text, Oracle oracle);

}  // namespace fakeprop::judge
