// The options of `report` and `show` that choose how a graph is shown.
#pragma once

#include "tools/cli/commands.h"

namespace fakeprop::cli {

// --compare, and the options that write for other viewers.
void AddViewers(CLI::App& app, CommandLineOptions& options);
// --tree, --depth, --interactive.
void AddTree(CLI::App& app, CommandLineOptions& options, RawOptions& raw);

}  // namespace fakeprop::cli
