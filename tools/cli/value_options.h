// The options of value ranges, which several commands have.
#pragma once

#include <string>

#include "tools/cli/command_line_options.h"

namespace CLI {
class App;
}

namespace fakeprop::cli {

void AddReadBuffers(CLI::App& app, CommandLineOptions& o);
// --values, whose help is `what`, and --read-buffers.
void AddValues(CLI::App& app, CommandLineOptions& o, const std::string& what);
// --no-values and --read-buffers.
void AddNoValues(CLI::App& app, CommandLineOptions& o);

}  // namespace fakeprop::cli
