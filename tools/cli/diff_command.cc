#include "tools/cli/diff_command.h"

#include <filesystem>
#include <fstream>

#include "lib/annotations/annotations_json.h"
#include "lib/archive/read_codes.h"
#include "lib/base/decompress.h"
#include "lib/diag/code_table.h"
#include "lib/diff/diff.h"
#include "lib/diff/diff_report.h"
#include "lib/json/document_kind.h"
#include "lib/json/json_parse.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/input_files.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

bool IsArchive(std::string_view bytes) { return bytes.starts_with("PK"); }

// An archive may be far larger than what is read of it, so its bytes are left alone.
bool IsArchiveFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return IsArchive({start, sizeof start});
}

// Damaged files are told where they are read as graphs.
bool HoldsAnnotations(const std::string& text) {
  if (IsArchive(text) || text.find("\"fakeprop.annotations/") == std::string::npos) return false;
  try {
    return DocumentKind(ParseJson(text).root()) == "annotations";
  } catch (const JsonError&) {
    return false;
  }
}

class DiffCommand {
 public:
  DiffCommand(const CommandLineOptions& options, const Console& console, DiagnosticSink& sink)
      : options_(options), console_(console), sink_(sink) {}

  // Nothing if a file cannot be read.
  std::optional<DiffSide> Read(const std::string& path) {
    if (IsArchiveFile(path)) return ReadGraphSide(ReadChosenGraph(path, options_, sink_), path);
    const std::string name = path == "-" ? "standard input" : path;
    std::optional<std::string> text = ReadInput(path, sink_);
    std::string error;
    if (text) text = Decompress(std::move(*text), error);
    if (!error.empty()) sink_.Add({.code = kCorruptCompression, .message = error, .file = name});
    if (!text) return std::nullopt;
    if (HoldsAnnotations(*text)) return ReadDiffSide(*text, name, sink_);
    return ReadGraphSide(ReadChosenContent(std::move(*text), name, options_, sink_), name);
  }

  bool has_graph() const { return has_graph_; }
  const std::vector<Diagnostic>& failures() const { return failures_; }

 private:
  std::optional<DiffSide> ReadGraphSide(std::optional<Graph> graph, const std::string& name) {
    if (!graph) return std::nullopt;
    has_graph_ = true;
    std::optional<Source> source = SourceOf(std::move(*graph), options_.inputs, options_, sink_);
    std::optional<Loaded> loaded = source ? LoadSource(std::move(*source), options_, sink_) : std::nullopt;
    if (!loaded) return std::nullopt;
    const Annotations annotations = Run(*loaded, options_, /*keep_going=*/true, console_);
    failures_.insert(failures_.end(), annotations.diagnostics.begin(), annotations.diagnostics.end());
    std::optional<DiffSide> side = ReadDiffSide(WriteAnnotations(loaded->graph, annotations), name, sink_);
    if (side) AddGraphFacts(loaded->graph, *side);
    return side;
  }

  const CommandLineOptions& options_;
  const Console& console_;
  DiagnosticSink& sink_;
  bool has_graph_ = false;
  std::vector<Diagnostic> failures_;  // of the runs
};

std::string TextOf(const DiffReport& report, const CommandLineOptions& options, const Console& console) {
  if (options.format == OutputFormat::kJson) return DiffJson(report);
  if (options.format == OutputFormat::kMarkdown) return DiffMarkdown(report);
  return DiffText(
      report, options.output.empty() ? console.OutPaint(options.color) : Paint{options.color == When::kAlways});
}

// Annotations have their inputs in them.
bool CheckInputsAreUsed(const DiffCommand& command, const CommandLineOptions& options, DiagnosticSink& sink) {
  const bool is_given = !options.inputs.empty() || !options.given_inputs.empty();
  if (!is_given || command.has_graph()) return true;
  sink.Add({.code = kBadUsage,
      .message = "inputs are given, but both files are annotations, which have theirs",
      .notes = {"give the graphs instead"}});
  return false;
}

}  // namespace

ExitStatus RunDiff(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  DiffCommand command(options, console, sink);
  std::optional<DiffSide> from, to;
  if (CheckWritable(options.output, sink)) from = command.Read(options.graphs[0]);
  if (from) to = command.Read(options.graphs[1]);
  if (!from || !to || !CheckInputsAreUsed(command, options, sink)) {
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
  console.Report(command.failures(), options.color);
  return diff.IsEmpty() && !from->has_errors && !to->has_errors ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
