#include "tools/cli/run_program.h"

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/summary.h"
#include "lib/diag/code_table.h"
#include "lib/inputs/inputs.h"
#include "lib/lint/findings_report.h"
#include "lib/readers/read_graph.h"
#include "lib/value_ranges/index_errors.h"
#include "lib/value_ranges/ranges_json.h"
#include "tools/cli/completions.h"
#include "tools/cli/config_command.h"
#include "tools/cli/contract_command.h"
#include "tools/cli/cost_command.h"
#include "tools/cli/crossref_report.h"
#include "tools/cli/diff_command.h"
#include "tools/cli/explain_command.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/lint_command.h"
#include "tools/cli/manual_page.h"
#include "tools/cli/memory_command.h"
#include "tools/cli/memory_limit.h"
#include "tools/cli/operator_libraries.h"
#include "tools/cli/ops_command.h"
#include "tools/cli/output.h"
#include "tools/cli/process_setup.h"
#include "tools/cli/progress.h"
#include "tools/cli/project_config.h"
#include "tools/cli/prove_command.h"
#include "tools/cli/refine_command.h"
#include "tools/cli/report_command.h"
#include "tools/cli/run_files.h"
#include "tools/cli/serve_command.h"
#include "tools/cli/show_command.h"

namespace fakeprop::cli {
namespace {

ExitStatus Trouble(const DiagnosticSink& sink, const CommandLineOptions& options, const Console& console) {
  console.Report(sink.diagnostics(), options.color);
  return ExitStatus::kTrouble;
}

std::string ClosingLine(const Annotations& annotations, const CommandLineOptions& options) {
  const Summary summary = Summarize(annotations);
  const bool has_more = summary.skipped > 0 && !options.keep_going;
  return ToString(summary) + (has_more ? " (`--keep-going` goes on with what does not depend on it)" : "");
}

ExitStatus RunPropagate(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  if (!CheckWritable(options.output, sink) || !CheckLibTorch(options, sink)) return Trouble(sink, options, console);
  const std::optional<Loaded> loaded = Load(options.graphs[0], options.inputs, options, sink);
  if (!loaded) return Trouble(sink, options, console);
  Annotations annotations = Run(*loaded, options, options.keep_going, console);
  ValueAnalysis ranges;
  if (options.writes_values) {
    ranges = AnalyzeValues(loaded->graph, loaded->inputs, annotations);
    AddCertainErrors(loaded->graph, loaded->inputs, ranges, annotations);
  }
  const auto write_ranges = [&](const GraphAnnotations& graph, const NodeAnnotation& node, JsonWriter& json) {
    WriteRanges(ranges, graph, node, json);
  };
  const std::string text =
      WriteAnnotations(loaded->graph, annotations, options.writes_values ? WriteMore(write_ranges) : WriteMore());
  if (!WriteOutput(options.output, text, console, sink)) return Trouble(sink, options, console);
  console.out.flush();  // results before messages, where both go to a terminal
  console.Report(sink.diagnostics(), options.color);
  console.Report(annotations.diagnostics, options.color);
  const std::vector<Finding> differences = ReportCrossref(annotations, options, console);
  for (const Finding& finding : differences)
    console.err << '\n' << FindingText(finding, console.ErrPaint(options.color));
  if (annotations.diagnostics.empty()) return differences.empty() ? ExitStatus::kOk : ExitStatus::kFindings;
  if (options.verbosity != Verbosity::kQuiet) console.err << '\n' << ClosingLine(annotations, options) << '\n';
  return ExitStatus::kFindings;
}

ExitStatus RunInputs(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  if (!CheckWritable(options.output, sink)) return Trouble(sink, options, console);
  const std::optional<Graph> graph = ReadChosenGraph(options.graphs[0], options, sink);
  if (!graph) return Trouble(sink, options, console);
  if (!WriteOutput(options.output, InputSpecTemplate(*graph), console, sink)) return Trouble(sink, options, console);
  return ExitStatus::kOk;
}

ExitStatus RunOps(const CommandLineOptions& options, const Console& console) {
  if (options.graphs.empty()) {
    AddShippedRules();
    console.out << ListOperators();
    return ExitStatus::kOk;
  }
  DiagnosticSink sink;
  const std::optional<Graph> graph = ReadChosenGraph(options.graphs[0], options, sink);
  if (!graph) return Trouble(sink, options, console);
  AddShippedRulesFor(*graph);
  console.out << ListOperators(*graph);
  return ExitStatus::kOk;
}

}  // namespace

ExitStatus Run(const CommandLineOptions& given, const Console& console) {
  if (!given.text.empty()) {
    console.out << given.text;
    return ExitStatus::kOk;
  }
  DiagnosticSink sink;
  CommandLineOptions options = given;
  if (options.command == Command::kLint) {
    const std::shared_ptr<const LintConfig> config = ReadProjectConfig(options, sink);
    if (!config || !ApplyConfig(config, options, sink)) return Trouble(sink, options, console);
  }
  if (!CheckFilesReadStay(options, sink)) return Trouble(sink, options, console);
  LimitMemory(options.max_memory);
  SetUpLog(options, console);
  // Of several graphs lint counts the graphs.
  if (options.command != Command::kLint || !TakesSeveralGraphs(options))
    ReadingProgress::SetUp(options.progress, options.verbosity, console);
  if (!LoadOperators(options, sink)) return Trouble(sink, options, console);
  switch (options.command) {
    case Command::kPropagate: return RunPropagate(options, console);
    case Command::kLint: return RunLint(options, console);
    case Command::kShow: return RunShow(options, console);
    case Command::kInputs: return RunInputs(options, console);
    case Command::kOps: return RunOps(options, console);
    case Command::kRefine: return RunRefine(options, console);
    case Command::kProve: return RunProve(options, console);
    case Command::kMemory: return RunMemory(options, console);
    case Command::kCost: return RunCost(options, console);
    case Command::kDiff: return RunDiff(options, console);
    case Command::kConfig: return RunConfig(options, console);
    case Command::kExplain: return RunExplain(options, console);
    case Command::kReport: return RunReport(options, console);
    case Command::kServe: return RunServe(options, console);
    case Command::kMan: console.out << ManualPage(); return ExitStatus::kOk;
    case Command::kContract: return RunContract(options, console);
    case Command::kCompletions: console.out << CompletionScript(options.shell); return ExitStatus::kOk;
  }
  return ExitStatus::kTrouble;
}

ExitStatus RunProgram(const std::vector<std::string>& arguments, const Console& console) {
  DiagnosticSink sink;
  std::optional<CommandLineOptions> options;
  try {
    options = ParseOptions(arguments, sink);
    if (options) return Run(*options, console);
  } catch (const std::exception& e) {
    LiftMemoryLimit();
    sink.Add(DiagnosticOf(e, options.value_or(CommandLineOptions())));
  }
  console.Report(sink.diagnostics(), When::kAuto);
  return ExitStatus::kTrouble;
}

}  // namespace fakeprop::cli
