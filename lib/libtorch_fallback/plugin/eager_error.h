// What eager PyTorch says of a call that it refuses.
#pragma once

#include <string>

#include "lib/rules/core/call.h"

namespace fakeprop::libtorch {

// The first line of the message of LibTorch's CPU kernel, which runs in a child process on small numbers. For other
// devices that of its Meta kernel, whose checks hold on every device. Empty if the kernel accepts the call, says
// something about its data or cannot be asked: the operator is not one of LibTorch's own, a tensor is not strided, or
// the child takes too much time or memory. Never throws.
std::string WordsOfEager(const Call& call);

}  // namespace fakeprop::libtorch
