#include "lib/diff/diff_report.h"
#include "lib/diff/diff_words.h"
#include "lib/json/json_copy.h"
#include "lib/json/json_writer.h"

namespace fakeprop {
namespace {

class DiffJsonWriter {
 public:
  explicit DiffJsonWriter(const DiffReport& report) : report_(report) {}

  std::string Write() {
    json_.BeginObject();
    json_.KeyOnLine("format").String("fakeprop.diff/1");
    json_.KeyOnLine("from").String(report_.from.name);
    json_.KeyOnLine("to").String(report_.to.name);
    json_.KeyOnLine("changed").BeginArray();
    for (const DiffEntry& entry : report_.diff.entries)
      for (const FieldChange& change : entry.fields) WriteChange(entry, change);
    json_.EndArray();
    WriteNames(json_.KeyOnLine("added"), DiffEntry::Kind::kAdded);
    WriteNames(json_.KeyOnLine("removed"), DiffEntry::Kind::kRemoved);
    json_.KeyOnLine("renamed").Array(report_.diff.renamed, [&](const RenamedNode& node) { WriteRenamed(node); });
    json_.KeyOnLine("symbols").Array(report_.diff.symbols, [&](const SymbolChange& change) { WriteSymbol(change); });
    WriteGuards();
    json_.KeyOnLine("compared").Int(static_cast<int64_t>(report_.diff.compared));
    json_.NewLine(0);
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  void WriteChange(const DiffEntry& entry, const FieldChange& change) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("node").String(entry.to->name);
    if (entry.from->name != entry.to->name) json_.Key("was").String(entry.from->name);
    json_.Key("in").String(entry.graph);
    json_.Key("field").String(change.field);
    WriteDetail(change.from, json_.Key("from"));
    WriteDetail(change.to, json_.Key("to"));
    if (!entry.to->module.empty()) json_.Key("module").String(entry.to->module);
    if (entry.from->line) json_.Key("from_line").String(PlaceText(*entry.from, report_.from));
    if (entry.to->line) json_.Key("to_line").String(PlaceText(*entry.to, report_.to));
    if (entry.follows >= 0) WriteCause(report_.diff.entries[static_cast<size_t>(entry.follows)]);
    json_.EndObject();
  }

  void WriteCause(const DiffEntry& cause) { json_.Key("follows").String(NodeLabel(cause.graph, cause.node().name)); }

  static void WriteDetail(const DiffDetail& detail, JsonWriter& json) {
    if (detail.json) WriteJson(*detail.json, json);
    else json.String(detail.text);
  }

  void WriteNames(JsonWriter& json, DiffEntry::Kind kind) {
    json.BeginArray();
    for (const DiffEntry& entry : report_.diff.entries)
      if (entry.kind == kind) json.String(NodeLabel(entry.graph, entry.node().name));
    json.EndArray();
  }

  void WriteRenamed(const RenamedNode& node) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("in").String(node.graph);
    json_.Key("from").String(node.from);
    json_.Key("to").String(node.to);
    json_.EndObject();
  }

  void WriteSymbol(const SymbolChange& change) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("symbol").String(change.name);
    if (change.name != change.was_name) json_.Key("was").String(change.was_name);
    json_.Key("field").String(change.bound);
    json_.Key("from").String(change.from);
    json_.Key("to").String(change.to);
    json_.EndObject();
  }

  void WriteGuards() {
    json_.KeyOnLine("guards").Array(report_.diff.guards, [&](const GuardChange& change) {
      json_.NewLine(4);
      json_.BeginObject();
      json_.Key("change").String(change.is_added ? "added" : "removed");
      json_.Key("expr").String(change.expression);
      if (!change.node.empty()) json_.Key("node").String(change.node);
      if (!change.line.empty()) json_.Key("line").String(change.line);
      json_.EndObject();
    });
  }

  const DiffReport& report_;
  JsonWriter json_;
};

}  // namespace

std::string DiffJson(const DiffReport& report) { return DiffJsonWriter(report).Write(); }

}  // namespace fakeprop
