// A run of the program: options in, text out, an exit status.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

enum class ExitStatus {
  kOk = 0,
  kFindings = 1,  // the graph was read but does not propagate, or lint found something
  kTrouble = 2,   // wrong usage, or a file that is missing, unreadable or malformed
};

// Parses the arguments (without the program's name) and runs.
ExitStatus RunProgram(const std::vector<std::string>& arguments, const Console& console);

ExitStatus Run(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
