#include "tools/cli/show_command.h"

#include "lib/value_ranges/use_text.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/output.h"
#include "tools/cli/show_text.h"

namespace fakeprop::cli {
namespace {

std::string Shown(
    const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options, const Console& console) {
  ShowOptions show;
  show.columns = options.columns;
  show.filter = options.filter;
  ValueAnalysis ranges;
  if (options.writes_values) {
    ranges = AnalyzeValues(loaded.graph, loaded.inputs, annotations);
    show.values = [&](const GraphAnnotations& graph, const NodeAnnotation& node) {
      return RangesText(ranges, graph, node);
    };
  }
  show.parameters = options.verbosity >= Verbosity::kVerbose;
  const bool is_printed = options.output.empty();
  show.width = is_printed ? console.width : 0;
  show.paint = is_printed ? console.OutPaint(options.color) : Paint{options.color == When::kAlways};
  switch (options.format) {
    case OutputFormat::kText: return ShowTable(loaded.graph, annotations, show);
    case OutputFormat::kJson: return ShowJson(loaded.graph, annotations, show);
    case OutputFormat::kCsv: return ShowCsv(loaded.graph, annotations, show);
    default: break;  // show has no other format
  }
  return "";
}

}  // namespace

ExitStatus RunShow(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Loaded> loaded;
  if (CheckWritable(options.output, sink)) loaded = Load(options.graphs[0], options.inputs, options, sink);
  std::optional<Annotations> annotations;
  if (loaded) annotations = Run(*loaded, options, /*keep_going=*/true, console);
  if (!loaded || !WriteOutput(options.output, Shown(*loaded, *annotations, options, console), console, sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  console.out.flush();  // the table before messages, where both go to a terminal
  console.Report(sink.diagnostics(), options.color);
  console.Report(annotations->diagnostics, options.color);
  return annotations->diagnostics.empty() ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace fakeprop::cli
