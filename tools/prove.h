// fakeprop prove.
#pragma once

#include "tools/console.h"
#include "tools/run.h"

namespace fakeprop {

ExitStatus RunProve(const Options& options, const Console& console);

}  // namespace fakeprop
