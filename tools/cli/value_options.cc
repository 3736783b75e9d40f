#include "tools/cli/value_options.h"

#include <CLI/CLI.hpp>

namespace fakeprop::cli {

void AddReadBuffers(CLI::App& app, CommandLineOptions& o) {
  app.add_flag("--read-buffers", o.reads_buffers,
      "read where the integers in all buffers of an archive lie (default: in those of up to 64 KiB)");
}

void AddValues(CLI::App& app, CommandLineOptions& o, const std::string& what) {
  app.add_flag("--values", o.writes_values, what);
  AddReadBuffers(app, o);
}

void AddNoValues(CLI::App& app, CommandLineOptions& o) {
  app.add_flag("--no-values", o.skips_values, "do not look for indices that are out of range");
  AddReadBuffers(app, o);
}

}  // namespace fakeprop::cli
