// --crossref: what rules and LibTorch say of the same nodes.
#pragma once

#include <vector>

#include "lib/lint/finding.h"
#include "lib/propagate/propagate.h"
#include "tools/console.h"

namespace fakeprop {

// Whether LibTorch is there, where --crossref needs it.
bool CheckLibTorch(const Options& options, DiagnosticSink& sink);

// Prints, where --crossref asks for it, what differs on purpose and a line that counts; gives what differs otherwise.
std::vector<Finding> ReportCrossref(const Annotations& annotations, const Options& options, const Console& console);

}  // namespace fakeprop
