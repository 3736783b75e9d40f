#include "tools/cli/show_command.h"

#include <algorithm>
#include <set>

#include "lib/base/suggest.h"
#include "lib/diag/code_table.h"
#include "lib/value_ranges/use_text.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/module_tree.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"
#include "tools/cli/show_browser.h"
#include "tools/cli/show_text.h"
#include "tools/cli/show_tree.h"

namespace fakeprop::cli {
namespace {

std::string Tree(const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options, size_t width,
    Paint paint) {
  const TreeOptions tree{options.depth, options.filter.module, width, paint};
  switch (options.format) {
    case OutputFormat::kJson: return TreeJson(loaded.graph, annotations, tree);
    case OutputFormat::kCsv: return TreeCsv(loaded.graph, annotations, tree);
    default: return TreeTable(loaded.graph, annotations, tree);
  }
}

std::string Shown(
    const Loaded& loaded, const Annotations& annotations, const CommandLineOptions& options, const Console& console) {
  const bool is_printed = options.output.empty();
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
  show.width = is_printed ? console.width : 0;
  show.paint = is_printed ? console.OutPaint(options.color) : Paint{options.color == When::kAlways};
  if (options.shows_tree) return Tree(loaded, annotations, options, show.width, show.paint);
  switch (options.format) {
    case OutputFormat::kText: return ShowTable(loaded.graph, annotations, show);
    case OutputFormat::kJson: return ShowJson(loaded.graph, annotations, show);
    case OutputFormat::kCsv: return ShowCsv(loaded.graph, annotations, show);
    default: break;  // show has no other format
  }
  return "";
}

void Browse(const Loaded& loaded, const Annotations& annotations, DiagnosticSink& sink) {
  const std::string trouble = BrowseGraph(loaded.graph, annotations);
  if (!trouble.empty())
    sink.Add({.code = kBadUsage,
        .message = "`--interactive` needs a terminal: " + trouble,
        .notes = {"`fakeprop show --tree` prints the modules"}});
}

// The filter names a module or an operator that the graph does not have.
void CheckFilter(const Loaded& loaded, const Annotations& annotations, const ShowFilter& filter, DiagnosticSink& sink) {
  const auto refuse = [&](const std::string& what, const std::string& word, std::vector<std::string> notes) {
    sink.Add({.code = kBadUsage,
        .message = "no " + what + " of the graph fits `" + word + "`",
        .file = loaded.graph.source,
        .notes = std::move(notes)});
  };
  if (!filter.module.empty()) {
    const ModuleTree tree = MakeModuleTree(loaded.graph, annotations);
    if (std::ranges::none_of(tree.modules, [&](const TreeModule& m) { return IsInModule(m.path, filter.module); }))
      refuse("module", filter.module, NotesOnModule(filter.module, tree));
  }
  if (filter.op.empty()) return;
  std::set<std::string> ops;
  bool has_op = false;
  for (const ShowRow& row : MakeShowRows(loaded.graph, annotations, nullptr).rows) {
    ops.insert(row.op);
    has_op = has_op || ShowFilter{.op = filter.op}.Has(row);
  }
  if (!has_op) refuse("operator", filter.op, Question(Nearest(filter.op, {ops.begin(), ops.end()})));
}

ExitStatus StatusOf(const Annotations& annotations) {
  return annotations.diagnostics.empty() ? ExitStatus::kOk : ExitStatus::kFindings;
}

}  // namespace

ExitStatus RunShow(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::optional<Loaded> loaded;
  if (CheckWritable(options.output, sink)) loaded = Load(options.graphs[0], options.inputs, options, sink);
  std::optional<Annotations> annotations;
  if (loaded) annotations = Run(*loaded, options, /*keep_going=*/true, console);
  if (loaded && options.is_interactive) {
    Browse(*loaded, *annotations, sink);
    console.Report(sink.diagnostics(), options.color);
    return sink.HasErrors() ? ExitStatus::kTrouble : StatusOf(*annotations);
  }
  if (loaded) CheckFilter(*loaded, *annotations, options.filter, sink);
  if (!loaded || sink.HasErrors() ||
      !WriteOutput(options.output, Shown(*loaded, *annotations, options, console), console, sink)) {
    console.Report(sink.diagnostics(), options.color);
    return ExitStatus::kTrouble;
  }
  console.out.flush();  // the table before messages, where both go to a terminal
  console.Report(sink.diagnostics(), options.color);
  console.Report(annotations->diagnostics, options.color);
  return StatusOf(*annotations);
}

}  // namespace fakeprop::cli
