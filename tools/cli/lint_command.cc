#include "tools/cli/lint_command.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "lib/annotations/summary.h"
#include "lib/diag/bug_in_fakeprop.h"
#include "lib/diag/code_table.h"
#include "lib/lint/formats/baseline.h"
#include "tools/cli/crossref_report.h"
#include "tools/cli/input_files.h"
#include "tools/cli/lint_graph.h"
#include "tools/cli/lint_reports.h"
#include "tools/cli/output.h"
#include "tools/cli/process_setup.h"
#include "tools/cli/progress.h"
#include "tools/cli/this_process.h"
#include "tools/cli/worker_pool.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

class Linter {
 public:
  Linter(const CommandLineOptions& options, const Console& console)
      : options_(options), console_(console), files_(FilesOfGraphs(options)) {}

  ExitStatus Run() {
    if (!CheckNames() || !CheckOutputs() || !CheckLibTorch(options_, sink_)) return Trouble();
    const std::optional<Baseline> baseline = ReadBaseline();
    if (sink_.HasErrors()) return Trouble();
    KeepShard();
    LintAll();
    if (findings_.empty() && options_.shard.count == 1) {
      Fail("there is no graph in " + Quoted(options_.graphs));
      return Trouble();
    }
    if (options_.write_baseline) return WriteKnown();
    if (baseline) LeaveOutKnown(*baseline);
    if (!WriteReports(findings_, options_, console_, sink_)) return Trouble();
    if (is_in_trouble_) return ExitStatus::kTrouble;
    return HasErrors(findings_) ? ExitStatus::kFindings : ExitStatus::kOk;
  }

 private:
  // With several graphs, --golden and --inputs are folders, and no two graphs share a file in them.
  bool CheckNames() {
    const bool uses_folder = IsFolderOfFiles(options_.golden, options_) || IsFolderOfFiles(options_.inputs, options_);
    std::map<std::string, std::string> graphs;  // by name
    for (const GraphFiles& files : files_) {
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

  bool CheckOutputs() {
    for (const LintReport& report : options_.reports)
      if (!CheckWritable(report.path, sink_)) return false;
    return CheckWritable(options_.output, sink_);
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

  // ---- the baseline

  // A baseline is written over another one, or over nothing.
  std::optional<Baseline> ReadBaseline() {
    const std::string& path = options_.baseline;
    if (path.empty()) return std::nullopt;
    std::error_code ignored;
    const bool is_there = fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
    if (options_.write_baseline && !is_there) {
      CheckWritable(path, sink_);
      return std::nullopt;
    }
    const std::optional<std::string> text = ReadInput(path, sink_, {"`--write-baseline` writes it"});
    if (!options_.write_baseline) return text ? Baseline::Read(*text, path, sink_) : std::nullopt;
    if (text && !IsBaseline(*text))
      sink_.Add({.code = kBadBaseline,
          .message = "`--write-baseline` would write over `" + path + "`, which is not a baseline",
          .file = path,
          .notes = {"only a baseline is written over: name another file, or remove this one first"}});
    if (!sink_.HasErrors()) CheckWritable(path, sink_);
    return std::nullopt;
  }

  void LeaveOutKnown(Baseline baseline) {
    for (GraphFindings& graph : findings_) baseline.TakeKnown(graph);
    if (const size_t gone = baseline.CountGone(); gone && options_.verbosity != Verbosity::kQuiet)
      console_.err << Counted(gone, "finding") << " of `" << options_.baseline
                   << "` did not occur: `--write-baseline` leaves out what is mended\n";
  }

  ExitStatus WriteKnown() {
    if (is_in_trouble_) return ExitStatus::kTrouble;  // a baseline without these graphs would lack their findings
    if (!WriteOutput(options_.baseline, WriteBaseline(findings_), console_, sink_)) return Trouble();
    if (options_.verbosity != Verbosity::kQuiet)
      console_.err << "wrote " << options_.baseline << ": " << Counted(CountFindings(findings_), "finding") << '\n';
    return ExitStatus::kOk;
  }

  // ---- the graphs

  void KeepShard() {
    const Shard shard = options_.shard;
    std::vector<GraphFiles> kept;
    for (size_t i = shard.index - 1; i < files_.size(); i += shard.count) kept.push_back(std::move(files_[i]));
    files_ = std::move(kept);
  }

  void LintAll() {
    const size_t workers = std::min(options_.jobs ? options_.jobs : UsableCores(), files_.size());
    if (workers > 1) return LintInProcesses(workers);
    for (const GraphFiles& files : files_) Take(LintGraph(files, options_, console_));
  }

  // A worker's messages go with its result, so that they come in the order of the graphs.
  void LintInProcesses(size_t workers) {
    Progress progress(options_.progress, options_.verbosity, console_, "linting", "graph");
    CommandLineOptions quiet = options_;
    quiet.progress = When::kNever;
    const auto work = [&](size_t job) {
      std::ostringstream log;
      const Console console{console_.out, log, console_.out_is_terminal, console_.err_is_terminal, console_.no_color};
      SetUpLog(quiet, console);
      LintedGraph graph = LintGraph(files_[job], quiet, console);
      graph.log = log.str();
      return WriteLintedGraph(graph);
    };
    const auto take = [&](size_t job, const std::optional<std::string>& result, const std::string& end) {
      progress.Clear();
      Take(result ? ReadLintedGraph(*result) : LostGraph(files_[job], end));
      progress.Show(job + 1, files_.size());
    };
    WorkerPool{files_.size(), workers, work, take}.Run();
    progress.Clear();
  }

  LintedGraph LostGraph(const GraphFiles& files, const std::string& end) const {
    const Diagnostic lost = BugInFakeprop("the process that linted `" + files.graph + "` ended with " + end);
    std::ostringstream messages;
    Console{console_.out, messages, false, console_.err_is_terminal, console_.no_color}.Report({lost}, options_.color);
    return {.findings = {.graph = files.graph, .trouble = {lost}}, .is_in_trouble = true, .messages = messages.str()};
  }

  // Any error among the messages is trouble in the end.
  void Take(LintedGraph graph) {
    console_.err << graph.log;
    if (graph.is_passed_over) return;
    if (is_in_trouble_ && graph.is_in_trouble) console_.err << '\n';
    console_.err << graph.messages;
    is_in_trouble_ = is_in_trouble_ || graph.is_in_trouble;
    findings_.push_back(std::move(graph.findings));
  }

  ExitStatus Trouble() {
    if (is_in_trouble_) console_.err << '\n';
    console_.Report(sink_.diagnostics(), options_.color);
    return ExitStatus::kTrouble;
  }

  const CommandLineOptions& options_;
  const Console& console_;
  std::vector<GraphFiles> files_;
  DiagnosticSink sink_;
  bool is_in_trouble_ = false;
  std::vector<GraphFindings> findings_;
};

}  // namespace

ExitStatus RunLint(const CommandLineOptions& options, const Console& console) { return Linter(options, console).Run(); }

}  // namespace fakeprop::cli
