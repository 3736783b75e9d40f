// The diagnostic for an exception that nothing in the user's files explains.
#pragma once

#include <string>

#include "fakeprop/diagnostic.h"

namespace fakeprop {

Diagnostic BugInFakeprop(const std::string& what);

}  // namespace fakeprop
