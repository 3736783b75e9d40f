// --crossref: reports the differences between rules and LibTorch on the same nodes.
#pragma once

#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/lint/finding.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Returns false and adds a diagnostic if --crossref needs LibTorch and it is not there.
bool CheckLibTorch(const CommandLineOptions& options, DiagnosticSink& sink);

// With --crossref, prints the differences that are on purpose and a line with counts. Returns the other differences.
std::vector<Finding> ReportCrossref(
    const Annotations& annotations, const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
