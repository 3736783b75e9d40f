// Libraries of custom operators.
#pragma once

#include <string>
#include <vector>

#include "lib/libtorch_fallback/interface.h"

namespace fakeprop::libtorch {

// Loads a shared library, whose static initialisers register operators, and gives those that are new. Throws OpError
// with the loader's reason, and what the initialisers throw.
std::vector<LoadedOperator> LoadOperators(const std::string& path);

}  // namespace fakeprop::libtorch
