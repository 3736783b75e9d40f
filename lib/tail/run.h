// Runs one operator call through LibTorch's dispatcher on fake tensors.
#pragma once

#include <string_view>

#include "lib/rules/call.h"

namespace fakeprop::tail {

// What has to stand before the first call. Cheap when done before.
void Prepare();

bool IsRegistered(std::string_view full_name);

// States the effects of the call, or throws: OpError, c10::Error.
void RunCall(Call& call);

}  // namespace fakeprop::tail
