// Writes results to a file or to stdout.
#pragma once

#include <string>
#include <string_view>

#include "fakeprop/diagnostic.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Returns true if a file can be written at `path`, so that a run does not fail only at its end. An empty path, stdout,
// is always fine.
bool CheckWritable(const std::string& path, DiagnosticSink& sink);

// Writes the whole text to the file, or to the console's `out` if `path` is empty.
bool WriteOutput(const std::string& path, std::string_view text, const Console& console, DiagnosticSink& sink);

}  // namespace fakeprop::cli
