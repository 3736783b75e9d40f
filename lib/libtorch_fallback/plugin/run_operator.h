// Runs one operator call through LibTorch's dispatcher on fake tensors.
#pragma once

#include <string_view>

#include "lib/rules/core/call.h"

namespace fakeprop::libtorch {

// What has to stand before the first call. Cheap when done before.
void Prepare();

bool IsRegistered(std::string_view full_name);

// Whether the operator of the call itself may be served by our rule; what it calls always may.
enum class Rules { kAll, kInnerOnly };

// States the effects of the call, or throws an OpError.
void RunCall(Call& call, Rules rules = Rules::kAll);

}  // namespace fakeprop::libtorch
