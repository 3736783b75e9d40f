// Runs one operator call through LibTorch's dispatcher on fake tensors.
#pragma once

#include <string_view>

#include "lib/rules/core/call.h"

namespace fakeprop::libtorch {

// Has to run before the first call. Later calls are cheap.
void Prepare();

bool IsRegistered(std::string_view full_name);

// kInnerOnly: our rule may not serve the operator of the call itself. Rules may always serve the operators that it
// calls.
enum class Rules { kAll, kInnerOnly };

// States the effects of the call, or throws an OpError.
void RunCall(Call& call, Rules rules = Rules::kAll);

}  // namespace fakeprop::libtorch
