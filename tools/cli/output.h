// Results, to a file or to stdout.
#pragma once

#include <string>
#include <string_view>

#include "fakeprop/diagnostic.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Whether a file can be written at `path`; finds out before the work is done for nothing. Stdout (no path) always can.
bool CheckWritable(const std::string& path, DiagnosticSink& sink);

// Writes the whole text to the file, or to the console's `out` where `path` is empty.
bool WriteOutput(const std::string& path, std::string_view text, const Console& console, DiagnosticSink& sink);

}  // namespace fakeprop::cli
