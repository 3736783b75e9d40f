// `fakeprop serve`: the page of `fakeprop report`, live.
#pragma once

#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

// Returns only if the server cannot start.
ExitStatus RunServe(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
