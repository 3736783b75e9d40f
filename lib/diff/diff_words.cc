#include "lib/diff/diff_words.h"

#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

constexpr size_t kMostNames = 5;

void AddCount(size_t count, std::string_view noun, std::string_view verb, std::string& text) {
  if (count > 0) text += (text.empty() ? "" : ", ") + Counted(count, noun) + " " + std::string(verb);
}

std::string ListNames(const std::vector<std::string>& names, size_t count) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text + (names.size() < count ? ", ..." : "");
}

}  // namespace

std::string DiffSummary(const Diff& diff) {
  const auto added = static_cast<size_t>(
      std::count_if(diff.guards.begin(), diff.guards.end(), [](const GuardChange& guard) { return guard.is_added; }));
  std::string text;
  AddCount(diff.Count(DiffEntry::Kind::kChanged), "node", "changed", text);
  AddCount(diff.Count(DiffEntry::Kind::kAdded), "node", "added", text);
  AddCount(diff.Count(DiffEntry::Kind::kRemoved), "node", "removed", text);
  AddCount(diff.symbols.size(), "bound of a symbol", "changed", text);
  AddCount(added, "guard", "added", text);
  AddCount(diff.guards.size() - added, "guard", "removed", text);
  if (text.empty()) text = "nothing changed";
  AddCount(diff.renamed.size(), "node", "renamed", text);
  return text + "; " + Counted(diff.compared, "node") + " compared";
}

std::string NodeLabel(const std::string& graph, std::string_view node) {
  return (graph.empty() ? "" : graph + ".") + std::string(node);
}

std::vector<std::vector<const DiffEntry*>> ShownEntries(const DiffReport& report) {
  std::vector<std::vector<const DiffEntry*>> groups;
  const DiffEntry* last = nullptr;
  for (const DiffEntry& entry : report.diff.entries) {
    if (entry.follows >= 0 && !report.is_complete) continue;
    const bool joins =
        last && entry.kind != DiffEntry::Kind::kChanged && last->kind == entry.kind && last->graph == entry.graph;
    if (!joins) groups.emplace_back();
    groups.back().push_back(&entry);
    last = &entry;
  }
  return groups;
}

std::string FollowersText(const DiffReport& report, const DiffEntry& entry) {
  if (entry.followers == 0) return "";
  const auto self = static_cast<int>(&entry - report.diff.entries.data());
  std::vector<std::string> names;
  for (const DiffEntry& other : report.diff.entries)
    if (other.follows == self && names.size() < kMostNames) names.push_back(NodeLabel(other.graph, other.node().name));
  return Counted(entry.followers, "later node") + " changed too: " + ListNames(names, entry.followers);
}

std::string SymbolChangeText(const SymbolChange& change) {
  const std::string other = change.name == change.was_name ? "" : " (was `" + change.was_name + "`)";
  return change.bound + " of `" + change.name + "`" + other + " is " + change.to + ", was " + change.from;
}

std::string NamesText(const std::vector<const DiffEntry*>& group) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(group.size(), kMostNames); ++i)
    names.push_back(NodeLabel(group[i]->graph, group[i]->node().name));
  return ListNames(names, group.size());
}

std::string PlaceText(const DiffNode& node, const DiffSide& side) {
  if (node.line) return LineText(*node.line);
  return side.name + ": " + (node.place.empty() ? node.entry.Pointer() : node.place);
}

}  // namespace fakeprop
