#include "tools/cli/report_command.h"

#include "lib/diag/code_table.h"
#include "lib/diff/diff.h"
#include "lib/error/error.h"
#include "lib/lint/checks/graph_checks.h"
#include "lib/lint/checks/mends.h"
#include "lib/report/memory_trace.h"
#include "lib/report/report_data.h"
#include "lib/report/report_page.h"
#include "lib/report/viewer_formats.h"
#include "tools/cli/diff_side_reader.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/ops_command.h"
#include "tools/cli/output.h"
#include "tools/cli/project_config.h"

namespace fakeprop::cli {
namespace {

// Errors in the order of the graph, then what lint warns of.
std::vector<Finding> FindingsOf(
    const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options) {
  RunOptions again = RunOptionsFrom(loaded.graph, options, false);
  again.shape_env = loaded.shape_env;
  const LintRun run{loaded.graph, loaded.inputs, annotations, std::move(again)};
  std::vector<Finding> findings = FindErrors(annotations);
  AddMends(run, findings);
  for (Finding& finding : RunChecks(run, CheckSettingsFor(options, loaded.graph.source)))
    findings.push_back(std::move(finding));
  return findings;
}

// Nothing for a graph that does not propagate, or whose numbers leave 64 bits.
std::optional<RunMeasures> MeasuresOf(const Loaded& loaded, const Annotations& annotations) {
  if (!annotations.diagnostics.empty()) return std::nullopt;
  try {
    return MeasureRun(loaded.graph, annotations);
  } catch (const OpError&) {
    return std::nullopt;
  }
}

// A run as it was asked for, and what it is compared with.
class ReportCommand {
 public:
  ReportCommand(const CommandLineOptions& options, const Console& console, DiagnosticSink& sink)
      : options_(options), console_(console), sink_(sink), others_(options, console, sink) {}

  // Nothing, and a diagnostic, if a file cannot be read or if the viewer cannot show the graph.
  std::optional<std::string> Make() {
    std::optional<DiffSide> other;
    if (!options_.compare.empty() && !(other = others_.Read(options_.compare))) return std::nullopt;
    const std::optional<Loaded> loaded = Load(options_.graphs[0], options_.inputs, options_, sink_);
    if (!loaded) return std::nullopt;
    const Annotations annotations = Run(*loaded, options_, /*keep_going=*/true, console_);
    failures_ = annotations.diagnostics;
    if (!other) return Written(*loaded, annotations);
    const std::optional<DiffSide> side = SideOfRun(loaded->graph, annotations, loaded->graph.source, sink_);
    if (!side) return std::nullopt;
    const Diff diff = CompareSides(*other, *side);
    const DiffReport comparison{diff, *other, *side};
    return ReportPage(loaded->graph.source, ReportDataOf(*loaded, annotations, options_, &comparison));
  }

  // Errors of nodes, those of the other graph first.
  std::vector<Diagnostic> Failures() const {
    std::vector<Diagnostic> all = others_.failures();
    all.insert(all.end(), failures_.begin(), failures_.end());
    return all;
  }

 private:
  std::optional<std::string> Written(const Loaded& loaded, const Annotations& annotations) {
    const std::string& source = loaded.graph.source;
    if (options_.viewer == Viewer::kPage) return ReportPage(source, ReportDataOf(loaded, annotations, options_));
    if (options_.viewer == Viewer::kPerfetto) return Trace(loaded.graph, annotations);
    const ViewerGraph graph = MakeViewerGraph(loaded.graph, annotations);
    if (options_.viewer == Viewer::kDot) return DotText(graph);
    if (options_.viewer == Viewer::kModelExplorer) return ModelExplorerJson(graph, source);
    if (options_.viewer == Viewer::kNodeData) return ModelExplorerNodeData(graph, source);
    return Mermaid(graph, source);
  }

  // What is too large for Mermaid it would refuse to draw.
  std::optional<std::string> Mermaid(const ViewerGraph& graph, const std::string& source) {
    const size_t edges = graph.CountEdges();
    if (edges > kMostMermaidEdges) return RefuseMermaid("draws", kMostMermaidEdges, "edges", edges, source);
    std::string text = MermaidText(graph);
    if (text.size() > kMostMermaidText)
      return RefuseMermaid("reads", kMostMermaidText, "characters", text.size(), source);
    return text;
  }

  std::nullopt_t RefuseMermaid(
      std::string_view does, size_t most, std::string_view what, size_t has, const std::string& source) {
    sink_.Add({.code = kBadUsage,
        .message = "Mermaid " + std::string(does) + " at most " + std::to_string(most) + " " + std::string(what) +
                   ", and the graph has " + std::to_string(has),
        .file = source,
        .notes = {"`--dot` writes it for Graphviz; without either it is a page for a browser"}});
    return std::nullopt;
  }

  // Of a part of a graph it would be wrong.
  std::optional<std::string> Trace(const Graph& graph, const Annotations& annotations) {
    if (!annotations.diagnostics.empty()) return std::nullopt;
    try {
      return MemoryTrace(graph, annotations);
    } catch (const OpError& error) {
      sink_.Add({.code = CodeOf(error.error_class()), .message = error.message(), .file = graph.source});
      return std::nullopt;
    }
  }

  const CommandLineOptions& options_;
  const Console& console_;
  DiagnosticSink& sink_;
  DiffSideReader others_;
  std::vector<Diagnostic> failures_;
};

}  // namespace

std::string ReportDataOf(const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options,
    const DiffReport* comparison) {
  const Graph& graph = loaded.graph;
  const std::optional<RunMeasures> measures = MeasuresOf(loaded, annotations);
  return ReportData({graph, annotations, FindingsOf(loaded, annotations, options),
      [&](const Node& node) { return ServiceOf(node, graph); }, measures ? &*measures : nullptr, comparison});
}

ExitStatus RunReport(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  ReportCommand command(options, console, sink);
  std::optional<std::string> text;
  if (CheckWritable(options.output, sink)) text = command.Make();
  const bool is_written = text && WriteOutput(options.output, *text, console, sink);
  console.out.flush();  // results before messages, where both go to a terminal
  console.Report(sink.diagnostics(), options.color);
  console.Report(command.Failures(), options.color);
  if (!is_written && sink.HasErrors()) return ExitStatus::kTrouble;
  return command.Failures().empty() ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
