// fakeprop contract.
#pragma once

#include "tools/cli/console.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

ExitStatus RunContract(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
