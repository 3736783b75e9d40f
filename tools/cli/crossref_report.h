// --crossref: what rules and LibTorch say of the same nodes.
#pragma once

#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/lint/finding.h"
#include "tools/cli/console.h"

namespace fakeprop::cli {

// Whether LibTorch is there, where --crossref needs it.
bool CheckLibTorch(const CommandLineOptions& options, DiagnosticSink& sink);

// Prints, where --crossref asks for it, what differs on purpose and a line that counts; gives what differs otherwise.
std::vector<Finding> ReportCrossref(
    const Annotations& annotations, const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
