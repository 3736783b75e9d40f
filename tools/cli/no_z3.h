// Z3 is needed and is not there.
#pragma once

#include <string>

#include "fakeprop/diagnostic.h"

namespace fakeprop::cli {

// `user`, such as "`--prove`", needs Z3, whose library could not be opened for this reason.
Diagnostic NoZ3(const std::string& user, const std::string& reason);

}  // namespace fakeprop::cli
