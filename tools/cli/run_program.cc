#include "tools/cli/run_program.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/summary.h"
#include "lib/diag/code_table.h"
#include "lib/inputs/inputs.h"
#include "lib/lint/findings_report.h"
#include "lib/readers/reader.h"
#include "tools/cli/completions.h"
#include "tools/cli/cost_command.h"
#include "tools/cli/crossref_report.h"
#include "tools/cli/diff_command.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/lint_command.h"
#include "tools/cli/memory_command.h"
#include "tools/cli/operator_libraries.h"
#include "tools/cli/ops_command.h"
#include "tools/cli/output.h"
#include "tools/cli/prove_command.h"
#include "tools/cli/refine_command.h"
#include "tools/cli/run_files.h"
#include "tools/cli/show_command.h"

namespace fakeprop::cli {
namespace {

// A limit exactly, in the largest unit that holds it: "150 MiB", "1000 B".
std::string LimitText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit < 4; ++unit) bytes /= 1024;
  return std::to_string(bytes) + " " + kUnits[unit];
}

// Log lines are ours alone; findings never go there.
void SetUpLog(const CommandLineOptions& options, const Console& console) {
  auto logger =
      std::make_shared<spdlog::logger>("fakeprop", std::make_shared<spdlog::sinks::ostream_sink_st>(console.err));
  logger->set_pattern("fakeprop: %v");
  logger->set_level(options.verbosity == Verbosity::kDebug     ? spdlog::level::debug
                    : options.verbosity == Verbosity::kVerbose ? spdlog::level::info
                                                               : spdlog::level::warn);
  spdlog::set_default_logger(logger);
}

ExitStatus Trouble(const DiagnosticSink& sink, const CommandLineOptions& options, const Console& console) {
  console.Report(sink.diagnostics(), options.color);
  return ExitStatus::kTrouble;
}

// A file that asks for more than any graph does ends in std::bad_alloc, not in the machine's trouble. Counted is what
// the process has to itself; a limit below what it holds already leaves nothing.
void LimitMemory(rlim_t bytes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
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
  const Annotations annotations = Run(*loaded, options, options.keep_going, console);
  if (!WriteOutput(options.output, WriteAnnotations(loaded->graph, annotations), console, sink))
    return Trouble(sink, options, console);
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
    console.out << ListOperators();
    return ExitStatus::kOk;
  }
  DiagnosticSink sink;
  const std::optional<Graph> graph = ReadChosenGraph(options.graphs[0], options, sink);
  if (!graph) return Trouble(sink, options, console);
  console.out << ListOperators(*graph);
  return ExitStatus::kOk;
}

}  // namespace

ExitStatus Run(const CommandLineOptions& options, const Console& console) {
  if (!options.text.empty()) {
    console.out << options.text;
    return ExitStatus::kOk;
  }
  DiagnosticSink sink;
  if (!CheckFilesReadStay(options, sink)) return Trouble(sink, options, console);
  LimitMemory(options.max_memory);
  SetUpLog(options, console);
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
  } catch (const std::bad_alloc&) {
    LimitMemory(RLIM_INFINITY);
    sink.Add({.code = kOutOfMemory,
        .message =
            "this needs more than " + LimitText(options.value_or(CommandLineOptions()).max_memory) + " of memory",
        .notes = {"`--max-memory` allows more"}});
  } catch (const std::exception& e) {
    sink.Add({.code = CodeOf(ErrorClass::kInternal), .message = std::string("a bug in fakeprop: ") + e.what()});
  }
  console.Report(sink.diagnostics(), When::kAuto);
  return ExitStatus::kTrouble;
}

}  // namespace fakeprop::cli
