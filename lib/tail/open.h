// Finds and opens the plug-in library that serves operators with LibTorch.
#pragma once

#include <string>

#include "lib/tail/tail.h"

namespace fakeprop {

// The tail of this process, opened at the first call; null and a reason where there is none. Looks for
// libfakeprop_tail.so, in this order: the file that FAKEPROP_TAIL names; next to the binary; in ../lib/tail from there;
// in the runfiles of the binary, or those that RUNFILES_DIR or TEST_SRCDIR name.
Tail* OpenTail(std::string& reason);

}  // namespace fakeprop
