// fakeprop prove.
#pragma once

#include "tools/cli/console.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

ExitStatus RunProve(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
