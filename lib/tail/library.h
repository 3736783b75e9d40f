// Libraries of custom operators.
#pragma once

#include <string>
#include <vector>

#include "lib/tail/interface.h"

namespace fakeprop::tail {

// Loads a shared library, whose static initialisers register operators, and gives those that are new. Throws OpError
// with the loader's reason, and what the initialisers throw.
std::vector<LoadedOperator> LoadOperators(const std::string& path);

}  // namespace fakeprop::tail
