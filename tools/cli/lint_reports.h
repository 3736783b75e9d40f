// Writes the findings in the formats that the command line asks for.
#pragma once

#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/lint/findings_report.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Each report goes to its file, or to -o or stdout. Returns false and adds a diagnostic if one cannot be written.
bool WriteReports(const std::vector<GraphFindings>& graphs, const CommandLineOptions& options, const Console& console,
    DiagnosticSink& sink);

}  // namespace fakeprop::cli
