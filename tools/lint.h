// fakeprop lint.
#pragma once

#include "tools/console.h"
#include "tools/run.h"

namespace fakeprop {

ExitStatus RunLint(const Options& options, const Console& console);

}  // namespace fakeprop
