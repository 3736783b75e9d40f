#include "lib/annotations/summary.h"
#include "lib/base/utf8.h"
#include "lib/diff/diff_report.h"
#include "lib/diff/diff_words.h"

namespace fakeprop {
namespace {

constexpr size_t kMostGroups = 50;  // more are not read

class DiffTextWriter {
 public:
  DiffTextWriter(const DiffReport& report, Paint paint) : report_(report), paint_(paint) {}

  std::string Write() {
    const std::vector<std::vector<const DiffEntry*>> groups = ShownEntries(report_);
    const size_t shown = report_.is_complete ? groups.size() : std::min(groups.size(), kMostGroups);
    for (size_t i = 0; i < shown; ++i) AddGroup(groups[i]);
    if (shown < groups.size())
      out_ += "... and " + Counted(groups.size() - shown, "more difference") + "; `-v` shows all\n\n";
    for (const SymbolChange& change : report_.diff.symbols)
      AddLine(Color::kWarning, "symbol", SymbolChangeText(change));
    for (const GuardChange& change : report_.diff.guards) AddGuard(change);
    if (!report_.diff.symbols.empty() || !report_.diff.guards.empty()) out_ += "\n";
    return std::move(out_) + DiffSummary(report_.diff) + " (" + Printable(report_.from.name) + " -> " +
           Printable(report_.to.name) + ")\n";
  }

 private:
  void AddGroup(const std::vector<const DiffEntry*>& group) {
    const DiffEntry& first = *group[0];
    switch (first.kind) {
      case DiffEntry::Kind::kChanged: AddChanged(first); break;
      case DiffEntry::Kind::kAdded: AddNodes(group, "added", report_.to); break;
      case DiffEntry::Kind::kRemoved: AddNodes(group, "removed", report_.from); break;
    }
    out_ += "\n";
  }

  void AddLine(Color color, const char* kind, const std::string& text) {
    out_ += paint_(color, kind) + " " + Printable(text) + "\n";
  }

  void AddDetail(const std::string& text) { out_ += "   " + Printable(text) + "\n"; }

  void AddChanged(const DiffEntry& entry) {
    const std::string label = NodeLabel(entry.graph, entry.to->name);
    AddLine(Color::kWarning, "changed", label + ": " + FieldText(entry.fields[0]));
    for (size_t i = 1; i < entry.fields.size(); ++i) AddDetail(FieldText(entry.fields[i]));
    if (entry.from->name != entry.to->name) AddDetail("was called " + std::string(entry.from->name));
    AddDetail("was  " + PlaceText(*entry.from, report_.from));
    AddDetail("now  " + PlaceText(*entry.to, report_.to));
    if (!entry.to->module.empty()) AddDetail("in module " + entry.to->module);
    if (const std::string text = FollowersText(report_, entry); !text.empty()) AddDetail(text);
  }

  static std::string FieldText(const FieldChange& change) {
    return change.field + " is " + change.to.text + ", was " + change.from.text;
  }

  void AddNodes(const std::vector<const DiffEntry*>& group, const char* verb, const DiffSide& side) {
    const DiffNode& node = group[0]->node();
    const std::string value = node.value ? BriefValue(*node.value) : node.outcome;
    AddLine(Color::kWarning, verb,
        group.size() == 1 ? NodeLabel(group[0]->graph, node.name) + ": " + value
                          : Counted(group.size(), "node") + ": " + NamesText(group));
    AddDetail((group[0]->to ? "now  " : "was  ") + PlaceText(node, side));
    size_t followers = 0;
    for (const DiffEntry* entry : group) followers += entry->followers;
    if (group.size() > 1 && followers > 0) AddDetail(Counted(followers, "later node") + " changed too");
    else if (followers > 0) AddDetail(FollowersText(report_, *group[0]));
  }

  void AddGuard(const GuardChange& change) {
    const std::string place = change.node.empty() ? "" : "     node `" + change.node + "`";
    AddLine(Color::kWarning, change.is_added ? "guard added" : "guard removed",
        change.expression + place + (change.line.empty() ? "" : ", " + change.line));
  }

  const DiffReport& report_;
  const Paint paint_;
  std::string out_;
};

}  // namespace

std::string DiffText(const DiffReport& report, Paint paint) { return DiffTextWriter(report, paint).Write(); }

}  // namespace fakeprop
