// `fakeprop show`: a graph as a table for people, or its rows for programs.
#pragma once

#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

ExitStatus RunShow(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
