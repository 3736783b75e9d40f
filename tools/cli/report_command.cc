#include "tools/cli/report_command.h"

#include "lib/diag/code_table.h"
#include "lib/lint/compare.h"
#include "lib/report/report_data.h"
#include "lib/report/report_page.h"
#include "lib/report/viewer_formats.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/ops_command.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

// Nothing, and a diagnostic, if the viewer cannot show the graph.
std::optional<std::string> Written(
    const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options, DiagnosticSink& sink) {
  const std::string& source = loaded.graph.source;
  if (options.viewer == Viewer::kPage) return ReportPage(source, ReportDataOf(loaded, annotations));
  const ViewerGraph graph = MakeViewerGraph(loaded.graph, annotations);
  switch (options.viewer) {
    case Viewer::kPage: break;
    case Viewer::kDot: return DotText(graph);
    case Viewer::kModelExplorer: return ModelExplorerJson(graph, source);
    case Viewer::kNodeData: return ModelExplorerNodeData(graph, source);
    case Viewer::kMermaid:
      if (graph.CountEdges() <= kMostMermaidEdges) return MermaidText(graph);
      sink.Add({.code = kBadUsage,
          .message = "Mermaid draws at most " + std::to_string(kMostMermaidEdges) + " edges, and the graph has " +
                     std::to_string(graph.CountEdges()),
          .file = source,
          .notes = {"`--dot` writes it for Graphviz; without either it is a page for a browser"}});
  }
  return std::nullopt;
}

}  // namespace

std::string ReportDataOf(const Loaded& loaded, const Annotations& annotations) {
  const Graph& graph = loaded.graph;
  return ReportData(
      {graph, annotations, FindErrors(annotations), [&](const Node& node) { return ServiceOf(node, graph); }});
}

ExitStatus RunReport(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Loaded> loaded;
  if (CheckWritable(options.output, sink)) loaded = Load(options.graphs[0], options.inputs, options, sink);
  std::optional<Annotations> annotations;
  if (loaded) annotations = Run(*loaded, options, /*keep_going=*/true, console);
  const std::optional<std::string> text = loaded ? Written(*loaded, *annotations, options, sink) : std::nullopt;
  if (!text || !WriteOutput(options.output, *text, console, sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  console.out.flush();  // results before messages, where both go to a terminal
  console.Report(sink.diagnostics(), options.color);
  console.Report(annotations->diagnostics, options.color);
  return annotations->diagnostics.empty() ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
