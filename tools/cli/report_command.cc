#include "tools/cli/report_command.h"

#include "lib/lint/compare.h"
#include "lib/report/report_data.h"
#include "lib/report/report_page.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/ops_command.h"
#include "tools/cli/output.h"

namespace fakeprop::cli {
namespace {

std::string DataOf(const Loaded& loaded, const Annotations& annotations) {
  const Graph& graph = loaded.graph;
  return ReportData({graph, annotations, FindErrors(annotations),
      [&](const Node& node) { return ServiceOf(node, graph); }});
}

}  // namespace

ExitStatus RunReport(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Loaded> loaded;
  if (CheckWritable(options.output, sink)) loaded = Load(options.graphs[0], options.inputs, options, sink);
  std::optional<Annotations> annotations;
  if (loaded) annotations = Run(*loaded, options, /*keep_going=*/true, console);
  if (!loaded || !WriteOutput(options.output, ReportPage(loaded->graph.source, DataOf(*loaded, *annotations)), console,
                     sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  console.Report(sink.diagnostics(), options.color);
  console.Report(annotations->diagnostics, options.color);
  return annotations->diagnostics.empty() ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
