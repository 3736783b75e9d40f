#include "tools/cli/lint_command.h"

#include <filesystem>
#include <map>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/annotations/summary.h"
#include "lib/diag/code_table.h"
#include "lib/lint/findings_report.h"
#include "lib/lint/golden.h"
#include "lib/lint/recorded.h"
#include "tools/cli/crossref_report.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/input_files.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

// A graph's name without its endings: "resnet" of "models/resnet.json.xz".
std::string StemOf(const std::string& path) {
  if (path == "-") return "stdin";
  std::string name = fs::path(path).filename().string();
  for (std::string_view ending : {".gz", ".xz", ".zst", ".json", ".pt2", ".pt"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

// The file that belongs to a graph: the option's own, or the one of the graph's name in its folder.
std::string FileFor(const std::string& graph, const std::string& option, bool is_folder) {
  if (option.empty() || !is_folder) return option;
  return (fs::path(option) / (StemOf(graph) + ".json")).string();
}

class Linter {
 public:
  Linter(const CommandLineOptions& options, const Console& console) : options_(options), console_(console) {}

  ExitStatus Run() {
    if (!CheckNames() || !CheckWritable(options_.output, sink_) || !CheckLibTorch(options_, sink_)) return Trouble();
    for (const std::string& graph : options_.graphs) {
      LintGraph(graph);
      Report();
    }
    if (!WriteOutput(options_.output, Output(), console_, sink_)) return Trouble();
    if (is_in_trouble_) return ExitStatus::kTrouble;
    return CountFindings(findings_) ? ExitStatus::kFindings : ExitStatus::kOk;
  }

 private:
  std::string Output() const {
    if (options_.format == LintFormat::kJson) return LintJson(findings_);
    const bool is_silent = options_.verbosity == Verbosity::kQuiet && CountFindings(findings_) == 0;
    if (is_silent || findings_.empty()) return "";
    return LintText(findings_,
        options_.output.empty() ? console_.OutPaint(options_.color) : Paint{options_.color == When::kAlways});
  }

  // With several graphs, --golden and --inputs are folders, and no two graphs share a file in them.
  bool CheckNames() {
    std::map<std::string, std::string> stems;
    for (const std::string& graph : options_.graphs) {
      if (UsesFolder(options_.golden) || UsesFolder(options_.inputs)) {
        const auto [other, is_new] = stems.emplace(StemOf(graph), graph);
        if (!is_new)
          return Fail("`" + other->second + "` and `" + graph + "` would share one file: both are called `" +
                      other->first + "`");
      }
    }
    std::error_code ignored;
    for (const auto& [name, folder] : {std::pair("--golden", options_.golden), std::pair("--inputs", options_.inputs)})
      if (options_.graphs.size() > 1 && fs::is_regular_file(folder, ignored))
        return Fail(std::string("with several graphs `") + name + "` names a folder, and `" + folder + "` is a file");
    return true;
  }

  bool Fail(std::string message) {
    sink_.Add({.code = kBadUsage, .message = std::move(message)});
    return false;
  }

  bool UsesFolder(const std::string& option) const {
    std::error_code ignored;
    return !option.empty() && (options_.graphs.size() > 1 || fs::is_directory(option, ignored));
  }

  void LintGraph(const std::string& path) {
    const std::string golden = FileFor(path, options_.golden, UsesFolder(options_.golden));
    std::optional<GoldenFile> file;
    if (options_.update_golden ? !PrepareGolden(golden) : !golden.empty() && !ReadGolden(golden, file)) return;
    const std::optional<Loaded> loaded =
        Load(path, FileFor(path, options_.inputs, UsesFolder(options_.inputs)), options_, sink_);
    if (!loaded) return;
    const Annotations annotations = cli::Run(*loaded, options_, /*keep_going=*/true, console_);
    GraphFindings graph{path, Summarize(annotations).nodes, FindErrors(annotations)};
    PropagateOptions again = PropagateOptionsFrom(loaded->graph, options_, false);
    again.shape_env = loaded->shape_env;
    const LintRun run{loaded->graph, loaded->inputs, annotations, std::move(again)};
    for (Finding& finding : ReportCrossref(annotations, options_, console_))
      graph.findings.push_back(std::move(finding));
    std::vector<Finding> more;
    if (options_.recorded) more = CompareWithRecorded(run);
    if (options_.update_golden) WriteGolden(run, golden);
    if (file) more = file->Compare(run);
    for (Finding& finding : more) graph.findings.push_back(std::move(finding));
    findings_.push_back(std::move(graph));
  }

  static std::vector<Finding> CompareWithRecorded(const LintRun& run) {
    const bool uses_hints = InputsAreAsRecorded(run.graph, run.inputs);
    std::vector<Finding> findings;
    for (const GraphAnnotations& annotations : run.annotations.graphs) {
      if (!annotations.call.empty()) continue;  // the file recorded one run of each graph
      const RecordedReference reference(GraphAt(run.graph, annotations.path), uses_hints);
      for (Finding& finding : CompareGraph(run, annotations, reference, {kRecordedDiffers, "was recorded as"}))
        findings.push_back(std::move(finding));
    }
    return findings;
  }

  bool ReadGolden(const std::string& golden, std::optional<GoldenFile>& file) {
    const std::optional<std::string> text = ReadInput(golden, sink_, {"`--update-golden` writes it"});
    if (text) file = GoldenFile::Read(*text, golden, sink_);
    return file.has_value();
  }

  // The folder is made where it is missing.
  bool PrepareGolden(const std::string& golden) {
    std::error_code ignored;
    if (UsesFolder(options_.golden)) fs::create_directories(options_.golden, ignored);
    return CheckWritable(golden, sink_);
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
