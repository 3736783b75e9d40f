// Lints one graph.
#pragma once

#include <string>

#include "lib/lint/findings_report.h"
#include "tools/cli/console.h"
#include "tools/cli/run_files.h"

namespace fakeprop::cli {

struct LintedGraph {
  GraphFindings findings;
  bool is_passed_over = false;  // a file of a folder that is no graph
  bool is_in_trouble = false;   // errors that are no findings
  std::string log;              // what a worker wrote to the console meanwhile
  std::string messages;         // those errors and warnings, for stderr
};

// Never throws. Progress, the log and what was written go to the console's `err`.
LintedGraph LintGraph(const GraphFiles& files, const CommandLineOptions& options, const Console& console);

// As a worker sends it, and back.
std::string WriteLintedGraph(const LintedGraph& graph);
LintedGraph ReadLintedGraph(const std::string& text);

}  // namespace fakeprop::cli
