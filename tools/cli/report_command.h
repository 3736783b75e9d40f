// `fakeprop report`: a page that shows a graph.
#pragma once

#include "lib/diff/diff_report.h"
#include "tools/cli/command_line_options.h"
#include "tools/cli/console.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/run_program.h"

namespace fakeprop::cli {

// The data of the page for a run, with what lint finds and, if there is one, the comparison with another run.
std::string ReportDataOf(const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options,
    const DiffReport* comparison = nullptr);

ExitStatus RunReport(const CommandLineOptions& options, const Console& console);

}  // namespace fakeprop::cli
