#include "lib/diff/diff.h"

#include <algorithm>
#include <set>

#include "lib/diff/align_nodes.h"
#include "lib/diff/pair_graphs.h"
#include "lib/diff/storage_pairs.h"
#include "lib/json/json_copy.h"

namespace fakeprop {
namespace {

class SideComparer {
 public:
  SideComparer(const DiffSide& from, const DiffSide& to)
      : from_(from), to_(to), graphs_(PairGraphs(from, to)), symbols_(from, to), storages_(from, to, symbols_) {}

  Diff Compare() {
    for (const GraphPair& pair : graphs_.pairs) MeetSymbols(pair);
    symbols_.MeetByName();
    for (const GraphPair& pair : graphs_.pairs) CompareGraphs(pair);
    for (const DiffGraph* graph : graphs_.only_from) AddAll(*graph, DiffEntry::Kind::kRemoved);
    for (const DiffGraph* graph : graphs_.only_to) AddAll(*graph, DiffEntry::Kind::kAdded);
    CompareSymbols();
    CompareGuards();
    return std::move(diff_);
  }

 private:
  // ---- which symbols are the same
  void MeetSymbols(const GraphPair& pair) {
    for (size_t i = 0; i < pair.from->nodes.size(); ++i) {
      if (pair.to_of[i] == kNoNode) continue;
      const DiffNode &from = pair.from->nodes[i], &to = pair.to->nodes[static_cast<size_t>(pair.to_of[i])];
      if (!from.value || !to.value) continue;
      // Inputs make backed symbols. Other nodes make unbacked ones.
      if (from.op == "placeholder") MeetInputs(*from.value, *to.value);
      MeetBindings(from.entry, to.entry);
    }
  }

  void MeetInputs(JsonValue from, JsonValue to) {
    VisitPairs(from, to, "tensor", [&](JsonValue a, JsonValue b) { MeetSizes(a.Get("shape"), b.Get("shape")); });
    VisitPairs(from, to, "symint", [&](JsonValue a, JsonValue b) { symbols_.Meet(a.Get("expr"), b.Get("expr")); });
  }

  void MeetSizes(JsonValue from, JsonValue to) {
    if (from.size() != to.size()) return;
    auto other = to.begin();
    for (JsonValue size : from) {
      symbols_.Meet(size, *other);
      ++other;
    }
  }

  // "unbacked_bindings": {"u0": "size(0)"}: the symbols of one place are the same.
  void MeetBindings(JsonValue from, JsonValue to) {
    const std::optional<JsonValue> a = from.Find("unbacked_bindings"), b = to.Find("unbacked_bindings");
    if (!a || !b || a->kind() != JsonKind::kObject || b->kind() != JsonKind::kObject) return;
    for (JsonValue mine : *a)
      for (JsonValue theirs : *b)
        if (JsonText(mine) == JsonText(theirs)) symbols_.MeetNames(mine.key(), theirs.key());
  }

  // ---- nodes
  void CompareGraphs(const GraphPair& pair) {
    const std::vector<DiffNode>&a = pair.from->nodes, &b = pair.to->nodes;
    std::vector<int32_t> from_of(b.size(), kNoNode);
    for (size_t i = 0; i < a.size(); ++i)
      if (pair.to_of[i] != kNoNode) from_of[static_cast<size_t>(pair.to_of[i])] = static_cast<int32_t>(i);
    const std::vector<size_t> ends = EndsOfRemoved(from_of, a.size());
    std::vector<int> entry_of(b.size(), -1);
    size_t next = 0;  // of the first graph, to be told
    for (size_t j = 0; j < b.size(); ++j) {
      for (; next < ends[j]; ++next) AddRemoved(pair, next);
      const size_t entries = diff_.entries.size();
      if (from_of[j] == kNoNode) Add(*pair.to, DiffEntry::Kind::kAdded, b[j]);
      else CompareNodes(pair, a[static_cast<size_t>(from_of[j])], b[j]);
      if (diff_.entries.size() > entries) entry_of[j] = Follow(b[j], entry_of);
    }
    for (; next < a.size(); ++next) AddRemoved(pair, next);
  }

  // For each node of the second graph the end of the nodes that stood before it in the first graph.
  static std::vector<size_t> EndsOfRemoved(const std::vector<int32_t>& from_of, size_t size) {
    std::vector<size_t> ends(from_of.size());
    for (size_t j = from_of.size(); j-- > 0;) {
      if (from_of[j] != kNoNode) size = static_cast<size_t>(from_of[j]);
      ends[j] = size;
    }
    return ends;
  }

  void AddRemoved(const GraphPair& pair, size_t node) {
    if (pair.to_of[node] == kNoNode) Add(*pair.from, DiffEntry::Kind::kRemoved, pair.from->nodes[node]);
  }

  void Add(const DiffGraph& graph, DiffEntry::Kind kind, const DiffNode& node) {
    DiffEntry entry{.kind = kind, .graph = graph.path};
    (kind == DiffEntry::Kind::kAdded ? entry.to : entry.from) = &node;
    AddEntry(std::move(entry));
  }

  void AddEntry(DiffEntry entry) {
    diff_.rows.push_back({entry.from, entry.to, static_cast<int>(diff_.entries.size())});
    diff_.entries.push_back(std::move(entry));
  }

  void AddAll(const DiffGraph& graph, DiffEntry::Kind kind) {
    for (const DiffNode& node : graph.nodes) Add(graph, kind, node);
  }

  void CompareNodes(const GraphPair& pair, const DiffNode& from, const DiffNode& to) {
    ++diff_.compared;
    if (from.name != to.name) diff_.renamed.push_back({pair.to->path, std::string(from.name), std::string(to.name)});
    DiffEntry entry{.graph = pair.to->path, .from = &from, .to = &to, .fields = FieldsOf(from, to)};
    if (entry.fields.empty()) diff_.rows.push_back({&from, &to});
    else AddEntry(std::move(entry));
  }

  std::vector<FieldChange> FieldsOf(const DiffNode& from, const DiffNode& to) {
    std::vector<FieldChange> fields;
    // The target of an input is its name.
    if (from.target != to.target && to.op.starts_with("call_"))
      fields.push_back({"target", {std::nullopt, std::string(from.target)}, {std::nullopt, std::string(to.target)}});
    if (!from.value || !to.value) {
      const std::string a = from.value ? BriefValue(*from.value) : from.outcome;
      const std::string b = to.value ? BriefValue(*to.value) : to.outcome;
      if (a != b) fields.push_back({"value", {std::nullopt, a}, {std::nullopt, b}});
      return fields;
    }
    for (FieldChange& change : CompareAnnotated(*from.value, *to.value, symbols_)) fields.push_back(std::move(change));
    const bool is_same = fields.empty();
    for (FieldChange& change : storages_.Compare(from, to, is_same)) fields.push_back(std::move(change));
    return fields;
  }

  // Lets the last entry follow from what its node reads. Returns the entry that nodes which read it go back to.
  int Follow(const DiffNode& node, const std::vector<int>& entry_of) {
    const int self = static_cast<int>(diff_.entries.size()) - 1;
    DiffEntry& entry = diff_.entries.back();
    if (entry.kind != DiffEntry::Kind::kChanged) return self;
    for (int32_t input : node.inputs) {
      const int cause = entry_of.at(static_cast<size_t>(input));
      if (cause < 0) continue;
      entry.follows = cause;
      ++diff_.entries[static_cast<size_t>(cause)].followers;
      return cause;
    }
    return self;
  }

  // ---- symbols and guards
  void CompareSymbols() {
    for (const auto& [from, to] : symbols_.Partners())
      for (const char* bound : {"min", "max", "multiple_of"}) {
        const std::string a = BoundOf(from, bound), b = BoundOf(to, bound);
        if (a != b) diff_.symbols.push_back({std::string(to.key()), std::string(from.key()), bound, a, b});
      }
  }

  static std::string BoundOf(JsonValue symbol, const char* bound) {
    const std::optional<JsonValue> value = symbol.Find(bound);
    return value ? JsonText(*value) : "none";
  }

  // A guard that was made elsewhere is the same guard.
  void CompareGuards() {
    const JsonValue from = from_.root().Get("guards"), to = to_.root().Get("guards");
    std::set<std::string> had, has;
    for (JsonValue guard : from) had.insert(KeyOf(symbols_.NodeOfA(TextOfGuard(guard)), guard));
    for (JsonValue guard : to) has.insert(KeyOf(symbols_.NodeOfB(TextOfGuard(guard)), guard));
    for (JsonValue guard : from)
      if (!has.contains(KeyOf(symbols_.NodeOfA(TextOfGuard(guard)), guard))) AddGuard(guard, false);
    for (JsonValue guard : to)
      if (!had.contains(KeyOf(symbols_.NodeOfB(TextOfGuard(guard)), guard))) AddGuard(guard, true);
  }

  static std::string_view TextOfGuard(JsonValue guard) { return guard.Get("expr").AsString(); }

  static std::string KeyOf(Sym node, JsonValue guard) {
    return node ? "node " + std::to_string(node->id) : "text " + std::string(TextOfGuard(guard));
  }

  void AddGuard(JsonValue guard, bool is_added) {
    const auto text = [&](const char* field) {
      const std::optional<JsonValue> value = guard.Find(field);
      return value ? JsonText(*value) : "";
    };
    diff_.guards.push_back({is_added, text("expr"), text("node"), text("line")});
  }

  const DiffSide& from_;
  const DiffSide& to_;
  const GraphPairs graphs_;
  SymbolPairs symbols_;
  StoragePairs storages_;
  Diff diff_;
};

}  // namespace

size_t Diff::Count(DiffEntry::Kind kind) const {
  return static_cast<size_t>(
      std::count_if(entries.begin(), entries.end(), [&](const DiffEntry& entry) { return entry.kind == kind; }));
}

Diff CompareSides(const DiffSide& from, const DiffSide& to) { return SideComparer(from, to).Compare(); }

}  // namespace fakeprop
