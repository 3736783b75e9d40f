#pragma once

#include <cstddef>

namespace fakeprop::cli {

// Lets bytes pass as they are, and a terminal take UTF-8 and colors: Windows has to be told.
void SetUpStandardStreams();

// The columns of the terminal that standard output is; 0 if it is none.
size_t TerminalWidth();

}  // namespace fakeprop::cli
