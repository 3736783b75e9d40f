#include "tools/cli/diff_command.h"

#include "lib/diag/code_table.h"
#include "lib/diff/diff.h"
#include "lib/diff/diff_report.h"
#include "tools/cli/diff_side_reader.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

std::string TextOf(const DiffReport& report, const CommandLineOptions& options, const Console& console) {
  if (options.format == OutputFormat::kJson) return DiffJson(report);
  if (options.format == OutputFormat::kMarkdown) return DiffMarkdown(report);
  return DiffText(
      report, options.output.empty() ? console.OutPaint(options.color) : Paint{options.color == When::kAlways});
}

// Annotations have their inputs in them.
bool CheckInputsAreUsed(const DiffSideReader& reader, const CommandLineOptions& options, DiagnosticSink& sink) {
  const bool is_given = !options.inputs.empty() || !options.given_inputs.empty();
  if (!is_given || reader.has_graph()) return true;
  sink.Add({.code = kBadUsage,
      .message = "inputs are given, but both files are annotations, which have theirs",
      .notes = {"give the graphs instead"}});
  return false;
}

}  // namespace

ExitStatus RunDiff(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  DiffSideReader reader(options, console, sink);
  std::optional<DiffSide> from, to;
  if (CheckWritable(options.output, sink)) from = reader.Read(options.graphs[0]);
  if (from) to = reader.Read(options.graphs[1]);
  if (!from || !to || !CheckInputsAreUsed(reader, options, sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  const Diff diff = CompareSides(*from, *to);
  const DiffReport report{diff, *from, *to, options.verbosity >= Verbosity::kVerbose};
  if (!WriteOutput(options.output, TextOf(report, options, console), console, sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  console.out.flush();  // results before messages, where both go to a terminal
  console.Report(reader.failures(), options.color);
  return diff.IsEmpty() && !from->has_errors && !to->has_errors ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
