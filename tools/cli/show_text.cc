#include "tools/cli/show_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/annotations/conditions.h"
#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/json/json_writer.h"
#include "tools/cli/commands.h"
#include "tools/cli/csv.h"
#include "tools/cli/table.h"

namespace fakeprop::cli {
namespace {

Column ColumnOf(std::string_view name) {
  if (name == "shape") return {"shape", false, 8, Fit::kKeep};
  if (name == "dtype") return {"dtype", false, 5, Fit::kKeep};
  if (name == "device") return {"device", false, 6, Fit::kOptionalIfSame};
  if (name == "bytes") return {"bytes", true, 8, Fit::kKeep};
  if (name == "storage") return {"storage of", false, 8, Fit::kOptional};
  if (name == "values") return {"values", false, 8, Fit::kOptional};
  if (name == "module") return {"module", false, 8, Fit::kOptional};
  return {std::string(name), false, 8};
}

// All, but the values only where they were asked for.
std::vector<std::string_view> DefaultColumns(const ShowOptions& options) {
  std::vector<std::string_view> names(ShowColumns().begin(), ShowColumns().end());
  if (!options.values) std::erase(names, "values");
  return names;
}

std::string BytesOf(const ShowRow& row) { return row.bytes ? BytesText(*row.bytes) : ""; }

Cell CellOf(const ShowRow& row, std::string_view column) {
  if (column == "node") return {row.node, Color::kName};
  if (column == "op") return row.op;
  if (column == "shape") return row.shape;
  if (column == "dtype") return row.dtype;
  if (column == "device") return row.device;
  if (column == "bytes") return BytesOf(row);
  if (column == "storage") return {row.storage_of, Color::kDim};
  if (column == "values") return row.values;
  return {row.module, Color::kDim};
}

Cell CellOf(const StateTotals& state, std::string_view column) {
  if (column == "node") return {state.name, Color::kDim};
  if (column == "shape") return {std::to_string(state.elements) + " elements", Color::kDim};
  if (column == "dtype") return state.dtype;
  if (column == "device") return state.device;
  if (column == "bytes") return BytesText(state.bytes);
  return {};
}

std::vector<ShowRow> Chosen(const ShowRows& all, const ShowOptions& options) {
  std::vector<ShowRow> rows;
  for (const ShowRow& row : all.rows) {
    const bool is_summed = row.kind == ShowRow::Kind::kState && !options.parameters;
    if (!is_summed && options.filter.Has(row)) rows.push_back(row);
  }
  return rows;
}

class TableMaker {
 public:
  TableMaker(const Graph& graph, const Annotations& annotations, const ShowOptions& options)
      : graph_(graph),
        annotations_(annotations),
        options_(options),
        rows_(MakeShowRows(graph, annotations, options.values)),
        names_(options.columns.begin(), options.columns.end()) {
    if (names_.empty()) names_ = DefaultColumns(options);
  }

  std::string Render() {
    Table table(Columns());
    if (!options_.parameters && !options_.filter.IsSet())
      for (const StateTotals& state : rows_.state) table.AddRow(CellsOf(state));
    const std::vector<ShowRow> rows = Chosen(rows_, options_);
    std::string subgraph, module;
    for (const ShowRow& row : rows) {
      if (std::exchange(subgraph, row.subgraph) != row.subgraph) {
        table.AddRow({}, {});
        table.AddRow({}, {subgraph.empty() ? "the graph:" : subgraph + ":", Color::kBold});
        module.clear();
      }
      AddRow(row, std::exchange(module, row.module) == row.module, table);
    }
    return table.Render(options_.width, options_.paint) + "\n" + FilterText(rows.size()) + TotalsText() +
           SymbolsText() + LeftOutText(table.LeftOut(options_.width));
  }

 private:
  std::vector<Column> Columns() const {
    std::vector<Column> columns;
    for (std::string_view name : names_) columns.push_back(ColumnOf(name));
    // What the user asked for stays.
    if (!options_.columns.empty())
      for (Column& column : columns)
        if (column.fit != Fit::kKeep) column.fit = Fit::kCut;
    return columns;
  }

  template <typename Row>
  std::vector<Cell> CellsOf(const Row& row) const {
    std::vector<Cell> cells;
    for (std::string_view name : names_) cells.push_back(CellOf(row, name));
    return cells;
  }

  // A module is written where it differs from the row's above.
  void AddRow(const ShowRow& row, bool is_same_module, Table& table) const {
    if (!row.message.empty()) {
      const bool is_error = row.kind == ShowRow::Kind::kError;
      return table.AddRow({{row.node, Color::kName}, row.op}, {row.message, is_error ? Color::kError : Color::kDim});
    }
    ShowRow shown = row;
    if (is_same_module && options_.columns.empty()) shown.module.clear();
    table.AddRow(CellsOf(shown));
  }

  std::string FilterText(size_t shown) const {
    return options_.filter.IsSet() ? Counted(shown, "row") + " of " + std::to_string(rows_.rows.size()) + "\n" : "";
  }

  std::string TotalsText() const {
    const Summary s = Summarize(annotations_);
    std::string out = Counted(s.nodes, "node");
    if (s.errors) out += ", " + options_.paint(Color::kError, Counted(s.errors, "error"));
    if (s.skipped) out += ", " + std::to_string(s.skipped) + " skipped";
    for (const StateTotals& state : rows_.state) out += "; " + state.name + ", " + BytesText(state.bytes);
    return out + "; results " + BytesText(rows_.result_bytes) + "; " + graph_.kind + "\n";
  }

  // At which sizes bytes were counted, and what else the table rests on.
  std::string SymbolsText() const {
    const ShapeEnv* env = annotations_.shape_env.get();
    Conditions conditions = ConditionsOf(env);
    const std::string hints = std::exchange(conditions.hints, ""), ranges = SymbolRangesText(env),
                      guards = ConditionsText(conditions);
    std::string text;
    if (!hints.empty()) text += "bytes at " + hints + "\n";
    if (!ranges.empty()) text += "sizes: " + ranges + "\n";
    return text + (guards.empty() ? "" : "this " + guards);
  }

  static std::string LeftOutText(const std::vector<std::string>& columns) {
    std::string text;
    for (const std::string& column : columns) text += (text.empty() ? "no room for: " : ", ") + column;
    return text.empty() ? "" : text + "; `--columns` chooses\n";
  }

  const Graph& graph_;
  const Annotations& annotations_;
  const ShowOptions& options_;
  const ShowRows rows_;
  std::vector<std::string_view> names_;
};

void WriteRow(const ShowRow& row, JsonWriter& json) {
  const auto text = [&](JsonKey key, const std::string& value) {
    if (!value.empty()) json.Key(key).String(value);
  };
  json.BeginObject();
  json.Key("node").String(row.node);
  json.Key("op").String(row.op);
  text("subgraph", row.subgraph);
  text("shape", row.shape);
  text("dtype", row.dtype);
  text("device", row.device);
  if (row.bytes) json.Key("bytes").Int(*row.bytes);
  text("storage_of", row.storage_of);
  text("module", row.module);
  text("values", row.values);
  text(row.kind == ShowRow::Kind::kError ? JsonKey("error") : JsonKey("skipped"), row.message);
  json.EndObject();
}

}  // namespace

std::string ShowTable(const Graph& graph, const Annotations& annotations, const ShowOptions& options) {
  return TableMaker(graph, annotations, options).Render();
}

std::string ShowJson(const Graph& graph, const Annotations& annotations, const ShowOptions& options) {
  JsonWriter json;
  json.BeginObject();
  json.NewLine(2);
  json.Key("format").String("fakeprop.show/1");
  json.NewLine(2);
  json.Key("graph").String(graph.source);
  json.NewLine(2);
  json.Key("rows").BeginArray();
  for (const ShowRow& row : Chosen(MakeShowRows(graph, annotations, options.values), options)) {
    json.NewLine(4);
    WriteRow(row, json);
  }
  json.EndArray();
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

std::string ShowCsv(const Graph& graph, const Annotations& annotations, const ShowOptions& options) {
  std::vector<std::string> names = options.columns;
  if (names.empty())
    for (std::string_view name : DefaultColumns(options)) names.emplace_back(name);
  std::vector<std::string> titles = names;
  titles.push_back("error");
  std::string out = CsvLine(titles);
  for (const ShowRow& row : Chosen(MakeShowRows(graph, annotations, options.values), options)) {
    std::vector<std::string> fields;
    for (const std::string& name : names)
      fields.push_back(name == "bytes" ? (row.bytes ? std::to_string(*row.bytes) : "") : CellOf(row, name).text);
    fields.push_back(row.message);
    out += CsvLine(fields);
  }
  return out;
}

}  // namespace fakeprop::cli
