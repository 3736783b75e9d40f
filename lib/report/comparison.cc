#include "lib/report/comparison.h"

#include <unordered_map>

#include "lib/diff/diff_words.h"
#include "lib/json/json_copy.h"

namespace fakeprop {
namespace {

// Numbers the nodes of a side through all of its runs.
class NodeNumbers {
 public:
  explicit NodeNumbers(const DiffSide& side) {
    for (const DiffGraph& graph : side.graphs)
      for (const DiffNode& node : graph.nodes) numbers_.emplace(&node, static_cast<int64_t>(numbers_.size()));
  }

  int64_t Of(const DiffNode* node) const { return node ? numbers_.at(node) : -1; }

 private:
  std::unordered_map<const DiffNode*, int64_t> numbers_;
};

class ComparisonWriter {
 public:
  ComparisonWriter(const DiffReport& comparison, JsonWriter& json) : comparison_(comparison), json_(json) {}

  void Write() {
    const Diff& diff = comparison_.diff;
    json_.BeginObject();
    json_.Key("from").String(comparison_.from.name);
    json_.Key("summary").String(DiffSummary(diff));
    WriteNotes();
    WriteRuns(json_.Key("from_runs"), comparison_.from);
    WriteRuns(json_.Key("to_runs"), comparison_.to);
    json_.Key("from_nodes").BeginArray();
    for (const DiffGraph& graph : comparison_.from.graphs)
      for (const DiffNode& node : graph.nodes) WriteNode(node);
    json_.EndArray();
    WriteRows();
    json_.Key("entries").Array(diff.entries, [&](const DiffEntry& entry) { WriteEntry(entry); });
    json_.EndObject();
  }

 private:
  void WriteNotes() {
    json_.Key("notes").BeginArray();
    for (const SymbolChange& change : comparison_.diff.symbols) json_.String(SymbolChangeText(change));
    for (const GuardChange& change : comparison_.diff.guards)
      json_.String(std::string(change.is_added ? "new guard: " : "guard is gone: ") + change.expression);
    json_.EndArray();
  }

  static void WriteRuns(JsonWriter& json, const DiffSide& side) {
    json.Array(side.graphs, [&](const DiffGraph& graph) {
      json.BeginArray();
      json.String(graph.path);
      json.String(graph.call);
      json.Int(static_cast<int64_t>(graph.nodes.size()));
      json.EndArray();
    });
  }

  void WriteNode(const DiffNode& node) {
    json_.NewLine(6);
    json_.BeginArray();
    json_.String(node.name);
    json_.String(node.op);
    json_.String(node.target);
    if (node.value) WriteJson(*node.value, json_);
    else json_.String(node.outcome);
    json_.String(node.module);
    json_.String(node.line || !node.place.empty() ? PlaceText(node, comparison_.from) : "");
    json_.EndArray();
  }

  void WriteRows() {
    const NodeNumbers from(comparison_.from), to(comparison_.to);
    json_.Key("rows").Array(comparison_.diff.rows, [&](const DiffRow& row) {
      json_.BeginArray();
      json_.Int(from.Of(row.from));
      json_.Int(to.Of(row.to));
      json_.Int(row.entry);
      json_.EndArray();
    });
  }

  void WriteEntry(const DiffEntry& entry) {
    json_.BeginArray();
    json_.Int(entry.follows);
    json_.Array(entry.fields, [&](const FieldChange& change) {
      json_.BeginArray();
      json_.String(change.field);
      json_.String(change.from.text);
      json_.String(change.to.text);
      json_.EndArray();
    });
    json_.EndArray();
  }

  const DiffReport& comparison_;
  JsonWriter& json_;
};

}  // namespace

void WriteComparison(const DiffReport& comparison, JsonWriter& json) { ComparisonWriter(comparison, json).Write(); }

}  // namespace fakeprop
