#include "tools/cli/lint_graph.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <sstream>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/annotations/summary.h"
#include "lib/archive/read_codes.h"
#include "lib/diag/code_table.h"
#include "lib/json/json_parse.h"
#include "lib/json/json_writer.h"
#include "lib/lint/checks/graph_checks.h"
#include "lib/lint/checks/mends.h"
#include "lib/lint/config/source_comments.h"
#include "lib/lint/golden_reference.h"
#include "lib/lint/recorded_reference.h"
#include "lib/lint/report_reader.h"
#include "tools/cli/crossref_report.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/input_files.h"
#include "tools/cli/output.h"
#include "tools/cli/process_setup.h"
#include "tools/cli/project_config.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

bool IsNoGraph(const GraphFindings& graph) {
  return !graph.trouble.empty() && graph.trouble.front().code.id == kUnknownFormat.id;
}

class GraphLinter {
 public:
  GraphLinter(const GraphFiles& files, const CommandLineOptions& options, const Console& console)
      : files_(files), options_(options), console_(console), findings_{.graph = files.graph} {}

  LintedGraph Lint() {
    try {
      LintOrThrow();
    } catch (const std::exception& e) {
      Abandon(DiagnosticOf(e, options_));
    }
    // What lies beside graphs in a folder (specs, goldens, weights) is no mistake.
    if (files_.is_found && IsNoGraph(findings_)) {
      spdlog::info("passed over {}: {}", files_.graph, findings_.trouble.front().message);
      return {.is_passed_over = true};
    }
    std::vector<Diagnostic> said = sink_.diagnostics();
    for (Diagnostic& diagnostic : said) NamePath(diagnostic);
    for (Diagnostic& diagnostic : findings_.trouble) NamePath(diagnostic);
    for (Finding& finding : findings_.findings) NamePath(finding.diagnostic);
    std::ostringstream messages;
    Console{console_.out, messages, false, console_.err_is_terminal, console_.no_color}.Report(said, options_.color);
    return {.findings = std::move(findings_), .is_in_trouble = sink_.HasErrors(), .messages = messages.str()};
  }

 private:
  // The name of the file alone does not tell several graphs apart.
  void NamePath(Diagnostic& diagnostic) const {
    if (TakesSeveralGraphs(options_) && diagnostic.file == fs::path(files_.graph).filename())
      diagnostic.file = files_.graph;
  }

  void LintOrThrow() {
    const std::optional<GoldenFile> golden = PrepareGolden(files_.golden);
    const std::optional<Loaded> loaded =
        sink_.HasErrors() ? std::nullopt : Load(files_.graph, files_.inputs, options_, sink_);
    if (loaded) Check(*loaded, golden);
    else findings_.trouble = sink_.diagnostics();
  }

  void Abandon(Diagnostic why) {
    findings_ = {.graph = files_.graph, .trouble = {why}};
    sink_ = {};
    sink_.Add(std::move(why));
  }

  void Check(const Loaded& loaded, const std::optional<GoldenFile>& golden) {
    const Annotations annotations = cli::Run(loaded, options_, /*keep_going=*/true, console_);
    findings_.nodes = Summarize(annotations).nodes;
    std::vector<Finding> errors = FindErrors(annotations);
    findings_.conditions = ConditionsOf(annotations.shape_env.get());
    findings_.crossref = annotations.crossref;
    RunOptions again = RunOptionsFrom(loaded.graph, options_, false);
    again.shape_env = loaded.shape_env;
    const LintRun run{loaded.graph, loaded.inputs, annotations, std::move(again)};
    AddMends(run, errors);
    Add(std::move(errors));
    Add(RunChecks(run, CheckSettingsFor(options_, files_.graph)));
    Add(ReportCrossref(annotations, options_, console_));
    if (options_.recorded) Add(CompareWithRecorded(run));
    if (options_.update_golden) WriteGolden(run);
    if (golden) Add(golden->Compare(run));
    TakeIgnored();
  }

  void TakeIgnored() {
    SourceComments comments{SourcePlaces(IsRegularFile)};
    findings_.ignored = comments.TakeIgnored(findings_.findings);
    if (options_.settings) findings_.ignored += TakeExceptions(*options_.settings, files_.graph, findings_.findings);
  }

  void Add(std::vector<Finding> findings) {
    for (Finding& finding : findings) findings_.findings.push_back(std::move(finding));
  }

  static std::vector<Finding> CompareWithRecorded(const LintRun& run) {
    const bool uses_hints = InputsAreAsRecorded(run.graph, run.inputs);
    std::vector<Finding> findings;
    for (const GraphAnnotations& annotations : run.annotations.graphs) {
      if (!annotations.call.empty()) continue;  // the file recorded one run of each graph
      ShapeEnv* env = run.annotations.shape_env.get();
      const RecordedReference reference(GraphAt(run.graph, annotations.path), uses_hints, env);
      for (Finding& finding : CompareGraph(run, annotations, reference, {kRecordedDiffers, "was recorded as"}))
        findings.push_back(std::move(finding));
    }
    return findings;
  }

  // The golden file to compare with, if there is one. What is wrong with it, or with the place where one is to be
  // written, goes to the sink.
  std::optional<GoldenFile> PrepareGolden(const std::string& golden) {
    if (golden.empty()) return std::nullopt;
    if (options_.update_golden) {
      CheckReplaceable(golden);
      return std::nullopt;
    }
    const std::optional<std::string> text = ReadInput(golden, sink_, {"`--update-golden` writes it"});
    return text ? GoldenFile::Read(*text, golden, sink_) : std::nullopt;
  }

  // The folder is made where it is missing. A golden file is written over another one, or over nothing.
  void CheckReplaceable(const std::string& golden) {
    std::error_code ignored;
    if (IsFolderOfFiles(options_.golden, options_)) fs::create_directories(fs::path(golden).parent_path(), ignored);
    if (!fs::is_regular_file(golden, ignored) || fs::file_size(golden, ignored) == 0) {
      CheckWritable(golden, sink_);
      return;
    }
    const std::optional<std::string> text = ReadInput(golden, sink_);
    if (text && !IsAnnotations(*text))
      sink_.Add({.code = kBadGolden,
          .message = "`--update-golden` would write over `" + golden + "`, which is not a golden file",
          .file = golden,
          .notes = {"only annotations are written over: name another file, or remove this one first"}});
    if (!sink_.HasErrors()) CheckWritable(golden, sink_);
  }

  void WriteGolden(const LintRun& run) {
    if (!WriteOutput(files_.golden, WriteAnnotations(run.graph, run.annotations), console_, sink_)) return;
    if (options_.verbosity != Verbosity::kQuiet) console_.err << "wrote " << files_.golden << '\n';
  }

  const GraphFiles& files_;
  const CommandLineOptions& options_;
  const Console& console_;
  DiagnosticSink sink_;
  GraphFindings findings_;
};

}  // namespace

LintedGraph LintGraph(const GraphFiles& files, const CommandLineOptions& options, const Console& console) {
  return GraphLinter(files, options, console).Lint();
}

std::string WriteLintedGraph(const LintedGraph& graph) {
  JsonWriter json;
  json.BeginObject();
  json.Key("is_passed_over").Bool(graph.is_passed_over);
  json.Key("is_in_trouble").Bool(graph.is_in_trouble);
  json.Key("log").String(graph.log);
  json.Key("messages").String(graph.messages);
  json.Key("report").String(LintJson({graph.findings}));
  json.EndObject();
  return json.Take();
}

LintedGraph ReadLintedGraph(const std::string& text) {
  const JsonTree tree = ParseJson(text);
  LintedGraph graph;
  graph.is_passed_over = tree.root().Get("is_passed_over").AsBool();
  graph.is_in_trouble = tree.root().Get("is_in_trouble").AsBool();
  graph.log = tree.root().Get("log").AsString();
  graph.messages = tree.root().Get("messages").AsString();
  graph.findings = ReadLintReport(tree.root().Get("report").AsString()).at(0);
  return graph;
}

}  // namespace fakeprop::cli
