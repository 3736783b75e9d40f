// fakeprop cost.
#pragma once

#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

ExitStatus RunCost(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
