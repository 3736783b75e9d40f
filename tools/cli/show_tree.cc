#include "tools/cli/show_tree.h"

#include "lib/annotations/conditions.h"
#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/json/json_writer.h"
#include "tools/cli/cost_text.h"
#include "tools/cli/csv.h"
#include "tools/cli/table.h"

namespace fakeprop::cli {
namespace {

// A module, or neighbours that are alike.
struct TreeRow {
  const TreeModule* first = nullptr;
  const TreeModule* last = nullptr;
  size_t count = 1;
  size_t depth = 0;
  bool is_folded = false;  // there are modules in it that have no row
};

bool AreAlike(const TreeModule& a, const TreeModule& b) {
  return a.type == b.type && a.sums == b.sums && a.children.size() == b.children.size();
}

class TreeRows {
 public:
  TreeRows(const ModuleTree& tree, const TreeOptions& options, bool joins_alike)
      : tree_(tree), options_(options), joins_alike_(joins_alike) {
    if (options.module.empty()) Add(0, 0, 1, 0);
    else AddMatches();
  }

  const std::vector<TreeRow>& rows() const { return rows_; }

 private:
  const TreeModule& At(int module) const { return tree_.modules[static_cast<size_t>(module)]; }

  // The outermost modules that the filter names.
  void AddMatches() {
    const auto is_meant = [&](int module) { return IsInModule(At(module).path, options_.module); };
    for (int i = 1; i < static_cast<int>(tree_.modules.size()); ++i)
      if (is_meant(i) && !is_meant(At(i).parent)) Add(i, i, 1, 0);
  }

  void Add(int first, int last, size_t count, size_t depth) {
    const TreeModule& module = At(first);
    const bool is_open = depth < options_.depth;
    rows_.push_back({&module, &At(last), count, depth, !is_open && !module.children.empty()});
    const std::vector<int>& children = module.children;
    for (size_t i = 0; is_open && i < children.size();) {
      size_t end = i + 1;
      while (joins_alike_ && end < children.size() && AreAlike(At(children[i]), At(children[end]))) ++end;
      Add(children[i], children[end - 1], end - i, depth + 1);
      i = end;
    }
  }

  const ModuleTree& tree_;
  const TreeOptions& options_;
  const bool joins_alike_;
  std::vector<TreeRow> rows_;
};

std::string LabelOf(const TreeRow& row) {
  const bool is_inner_root = row.depth == 0 && !row.first->path.empty();
  std::string text = std::string(2 * row.depth, ' ') + (is_inner_root ? row.first->path : row.first->name);
  if (row.count > 1) text += " to " + row.last->name;
  return row.is_folded ? text + " ..." : text;
}

std::string FlopsOf(const ModuleTree& tree, const ModuleSums& sums) {
  return tree.has_flops ? FlopsText(static_cast<double>(sums.flops)) : "";
}

std::vector<Column> Columns(bool has_alike) {
  std::vector<Column> columns = {{"module"}, {"class", false, 8, Fit::kOptional}};
  if (has_alike) columns.push_back({"alike", true, 5, Fit::kKeep});
  for (const char* name : {"nodes", "FLOPs", "results", "parameters", "bytes"})
    columns.push_back({name, true, 8, Fit::kKeep});
  return columns;
}

std::string NotesText(const ModuleTree& tree, const Annotations& annotations, bool has_alike) {
  std::string text;
  if (has_alike) text += "alike: so many modules have the sums of the row, each\n";
  if (!tree.has_flops) text += "FLOPs are not counted, since the graph does not propagate\n";
  if (tree.uncounted)
    text += "FLOPs of " + Counted(tree.uncounted, "node") + " are not counted; `fakeprop cost` says which\n";
  const std::string hints = ConditionsOf(annotations.shape_env.get()).hints;
  return hints.empty() ? text : text + "at " + hints + "\n";
}

}  // namespace

std::string TreeTable(const Graph& graph, const Annotations& annotations, const TreeOptions& options) {
  const ModuleTree tree = MakeModuleTree(graph, annotations);
  const TreeRows rows(tree, options, /*joins_alike=*/true);
  bool has_alike = false;
  for (const TreeRow& row : rows.rows()) has_alike |= row.count > 1;
  Table table(Columns(has_alike));
  for (const TreeRow& row : rows.rows()) {
    const ModuleSums& sums = row.first->sums;
    std::vector<Cell> cells = {{LabelOf(row), Color::kName}, {row.first->type, Color::kDim}};
    if (has_alike) cells.emplace_back(row.count > 1 ? std::to_string(row.count) : "");
    cells.insert(cells.end(), {std::to_string(sums.nodes), FlopsOf(tree, sums), BytesText(sums.result_bytes),
                                  WithCommas(sums.parameters), BytesText(sums.parameter_bytes)});
    table.AddRow(std::move(cells));
  }
  const std::string notes = NotesText(tree, annotations, has_alike);
  return table.Render(options.width, options.paint) + (notes.empty() ? "" : "\n" + notes);
}

std::string TreeJson(const Graph& graph, const Annotations& annotations, const TreeOptions& options) {
  const ModuleTree tree = MakeModuleTree(graph, annotations);
  JsonWriter json;
  json.BeginObject();
  json.KeyOnLine("format").String("fakeprop.show/1");
  json.KeyOnLine("graph").String(graph.source);
  json.KeyOnLine("modules").Array(TreeRows(tree, options, false).rows(), [&](const TreeRow& row) {
    const ModuleSums& sums = row.first->sums;
    json.NewLine(4);
    json.BeginObject();
    json.Key("module").String(row.first->path);
    json.Key("class").String(row.first->type);
    json.Key("nodes").Int(sums.nodes);
    if (tree.has_flops) json.Key("flops").Int(sums.flops);
    json.Key("result_bytes").Int(sums.result_bytes);
    json.Key("parameters").Int(sums.parameters);
    json.Key("parameter_bytes").Int(sums.parameter_bytes);
    json.EndObject();
  });
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

std::string TreeCsv(const Graph& graph, const Annotations& annotations, const TreeOptions& options) {
  const ModuleTree tree = MakeModuleTree(graph, annotations);
  std::string out = CsvLine({"module", "class", "nodes", "flops", "result_bytes", "parameters", "parameter_bytes"});
  const TreeRows rows(tree, options, false);
  for (const TreeRow& row : rows.rows()) {
    const ModuleSums& sums = row.first->sums;
    out += CsvLine(
        {row.first->path, row.first->type, std::to_string(sums.nodes), tree.has_flops ? std::to_string(sums.flops) : "",
            std::to_string(sums.result_bytes), std::to_string(sums.parameters), std::to_string(sums.parameter_bytes)});
  }
  return out;
}

}  // namespace fakeprop::cli
