// fakeprop refine.
#pragma once

#include "tools/console.h"
#include "tools/run.h"

namespace fakeprop {

ExitStatus RunRefine(const Options& options, const Console& console);

}  // namespace fakeprop
