// Libraries of custom operators.
#pragma once

#include <string>
#include <vector>

#include "lib/libtorch_fallback/interface.h"

namespace fakeprop::libtorch {

// Loads a shared library whose static initialisers register operators, and returns the new operators. Throws OpError
// with the loader's reason or the exception of an initialiser.
std::vector<LoadedOperator> LoadOperators(const std::string& path);

}  // namespace fakeprop::libtorch
