// The manual page: every command with its options, as they are declared.
#pragma once

#include <string>

namespace fakeprop::cli {

// In the language of man(7).
std::string ManualPage();

}  // namespace fakeprop::cli
