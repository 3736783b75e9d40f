#include "tools/cli/lint_command.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <map>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/annotations/summary.h"
#include "lib/archive/read_codes.h"
#include "lib/diag/code_table.h"
#include "lib/lint/findings_report.h"
#include "lib/lint/golden.h"
#include "lib/lint/recorded.h"
#include "tools/cli/crossref_report.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/input_files.h"
#include "tools/cli/output.h"
#include "tools/cli/run_files.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

class Linter {
 public:
  Linter(const CommandLineOptions& options, const Console& console) : options_(options), console_(console) {}

  ExitStatus Run() {
    if (!CheckNames() || !CheckWritable(options_.output, sink_) || !CheckLibTorch(options_, sink_)) return Trouble();
    for (const GraphFiles& files : FilesOfGraphs(options_)) {
      GraphFindings graph = LintGraph(files);
      // What lies beside graphs in a folder (specs, goldens, weights) is no mistake.
      if (files.is_found && IsNoGraph(graph)) {
        spdlog::info("passed over {}: {}", graph.graph, graph.trouble.front().message);
        sink_ = {};
        continue;
      }
      findings_.push_back(std::move(graph));
      Report();
    }
    if (findings_.empty()) {
      Fail("there is no graph in " + Quoted(options_.graphs));
      return Trouble();
    }
    if (!WriteOutput(options_.output, Output(), console_, sink_)) return Trouble();
    if (is_in_trouble_) return ExitStatus::kTrouble;
    return CountFindings(findings_) ? ExitStatus::kFindings : ExitStatus::kOk;
  }

 private:
  std::string Output() const {
    if (options_.format == OutputFormat::kJson) return LintJson(findings_);
    const bool is_silent = options_.verbosity == Verbosity::kQuiet && CountFindings(findings_) == 0;
    if (is_silent) return "";
    return LintText(findings_,
        options_.output.empty() ? console_.OutPaint(options_.color) : Paint{options_.color == When::kAlways});
  }

  // With several graphs, --golden and --inputs are folders, and no two graphs share a file in them.
  bool CheckNames() {
    const bool uses_folder = IsFolderOfFiles(options_.golden, options_) || IsFolderOfFiles(options_.inputs, options_);
    std::map<std::string, std::string> graphs;  // by name
    for (const GraphFiles& files : FilesOfGraphs(options_)) {
      const auto [other, is_new] = graphs.emplace(files.name, files.graph);
      if (uses_folder && !is_new)
        return Fail("`" + other->second + "` and `" + files.graph + "` would share one file: both are called `" +
                    files.name + "`");
    }
    std::error_code ignored;
    for (const auto& [name, folder] : {std::pair("--golden", options_.golden), std::pair("--inputs", options_.inputs)})
      if (TakesSeveralGraphs(options_) && fs::is_regular_file(folder, ignored))
        return Fail(std::string("with several graphs `") + name + "` names a folder, and `" + folder + "` is a file");
    return true;
  }

  static bool IsNoGraph(const GraphFindings& graph) {
    return !graph.trouble.empty() && graph.trouble.front().code.id == kUnknownFormat.id;
  }

  static std::string Quoted(const std::vector<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths) text += (text.empty() ? "`" : ", `") + path + "`";
    return text;
  }

  bool Fail(std::string message) {
    sink_.Add({.code = kBadUsage, .message = std::move(message)});
    return false;
  }

  GraphFindings LintGraph(const GraphFiles& files) {
    GraphFindings graph{.graph = files.graph};
    const std::optional<GoldenFile> golden = PrepareGolden(files.golden);
    const std::optional<Loaded> loaded =
        sink_.HasErrors() ? std::nullopt : Load(files.graph, files.inputs, options_, sink_);
    if (loaded) Lint(*loaded, files, golden, graph);
    else graph.trouble = sink_.diagnostics();
    return graph;
  }

  void Lint(
      const Loaded& loaded, const GraphFiles& files, const std::optional<GoldenFile>& golden, GraphFindings& graph) {
    const Annotations annotations = cli::Run(loaded, options_, /*keep_going=*/true, console_);
    graph.nodes = Summarize(annotations).nodes;
    graph.findings = FindErrors(annotations);
    graph.conditions = ConditionsOf(annotations.shape_env.get());
    graph.crossref = annotations.crossref;
    RunOptions again = RunOptionsFrom(loaded.graph, options_, false);
    again.shape_env = loaded.shape_env;
    const LintRun run{loaded.graph, loaded.inputs, annotations, std::move(again)};
    const auto add = [&](std::vector<Finding> findings) {
      for (Finding& finding : findings) graph.findings.push_back(std::move(finding));
    };
    add(ReportCrossref(annotations, options_, console_));
    if (options_.recorded) add(CompareWithRecorded(run));
    if (options_.update_golden) WriteGolden(run, files.golden);
    if (golden) add(golden->Compare(run));
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

  void WriteGolden(const LintRun& run, const std::string& golden) {
    if (!WriteOutput(golden, WriteAnnotations(run.graph, run.annotations), console_, sink_)) return;
    if (options_.verbosity != Verbosity::kQuiet) console_.err << "wrote " << golden << '\n';
  }

  // Messages come as they are met; any error among them is trouble in the end.
  void Report() {
    if (is_in_trouble_ && sink_.HasErrors()) console_.err << '\n';
    is_in_trouble_ = is_in_trouble_ || sink_.HasErrors();
    console_.Report(sink_.diagnostics(), options_.color);
    sink_ = {};
  }
  ExitStatus Trouble() {
    Report();
    return ExitStatus::kTrouble;
  }

  const CommandLineOptions& options_;
  const Console& console_;
  DiagnosticSink sink_;
  bool is_in_trouble_ = false;
  std::vector<GraphFindings> findings_;
};

}  // namespace

ExitStatus RunLint(const CommandLineOptions& options, const Console& console) { return Linter(options, console).Run(); }

}  // namespace fakeprop::cli
