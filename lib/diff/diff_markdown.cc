#include "lib/annotations/summary.h"
#include "lib/base/utf8.h"
#include "lib/diff/diff_report.h"
#include "lib/diff/diff_words.h"

namespace fakeprop {
namespace {

constexpr size_t kMostRows = 100;  // code hosts cut longer comments

// Text that Markdown and HTML leave as it is.
std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : Printable(text)) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '@') out += "&#64;";  // nobody is to be notified
    else if (std::string_view("\\`*_{}[]()#!|~$:").find(c) != std::string_view::npos) (out += '\\') += c;
    else out += c;
  }
  return out;
}

class DiffMarkdownWriter {
 public:
  explicit DiffMarkdownWriter(const DiffReport& report) : report_(report) {}

  std::string Write() {
    out_ = "### " + Escaped(report_.from.name) + " → " + Escaped(report_.to.name) + "\n\n" +
           Escaped(DiffSummary(report_.diff)) + "\n";
    const std::vector<std::vector<const DiffEntry*>> groups = ShownEntries(report_);
    if (!groups.empty()) AddTable(groups);
    AddConditions();
    AddRenamed();
    return std::move(out_);
  }

 private:
  void AddTable(const std::vector<std::vector<const DiffEntry*>>& groups) {
    out_ += "\n| node | what | was | is | line before | line now | later nodes |\n|---|---|---|---|---|---|---|\n";
    const size_t shown = report_.is_complete ? groups.size() : std::min(groups.size(), kMostRows);
    for (size_t i = 0; i < shown; ++i) AddRow(groups[i]);
    if (shown < groups.size()) out_ += "\n" + Counted(groups.size() - shown, "more difference") + " not shown\n";
  }

  void AddRow(const std::vector<const DiffEntry*>& group) {
    const DiffEntry& first = *group[0];
    std::string what, was, is;
    for (const FieldChange& change : first.fields) {
      what += Separator(what) + Escaped(change.field);
      was += Separator(was) + Escaped(change.from.text);
      is += Separator(is) + Escaped(change.to.text);
    }
    if (first.kind == DiffEntry::Kind::kAdded) what = "added";
    if (first.kind == DiffEntry::Kind::kRemoved) what = "removed";
    size_t followers = 0;
    for (const DiffEntry* entry : group) followers += entry->followers;
    out_ += "| " + Escaped(NamesText(group)) + " | " + what + " | " + was + " | " + is + " | " +
            (first.from ? Escaped(PlaceText(*first.from, report_.from)) : "") + " | " +
            (first.to ? Escaped(PlaceText(*first.to, report_.to)) : "") + " | " +
            (followers ? std::to_string(followers) : "") + " |\n";
  }

  static std::string Separator(const std::string& text) { return text.empty() ? "" : "<br>"; }

  void AddConditions() {
    if (!report_.diff.symbols.empty() || !report_.diff.guards.empty()) out_ += "\n";
    for (const SymbolChange& change : report_.diff.symbols) out_ += "- " + Escaped(SymbolChangeText(change)) + "\n";
    for (const GuardChange& change : report_.diff.guards) {
      const std::string place = change.node.empty() ? "" : " at " + Escaped(change.node);
      out_ += "- guard " + std::string(change.is_added ? "added: " : "removed: ") + Escaped(change.expression) + place +
              (change.line.empty() ? "" : ", " + Escaped(change.line)) + "\n";
    }
  }

  void AddRenamed() {
    const std::vector<RenamedNode>& renamed = report_.diff.renamed;
    if (renamed.empty()) return;
    out_ += "\n<details><summary>" + Counted(renamed.size(), "node") + " renamed</summary>\n\n";
    for (size_t i = 0; i < std::min(renamed.size(), kMostRows); ++i)
      out_ += "- " + Escaped(NodeLabel(renamed[i].graph, renamed[i].from)) + " → " +
              Escaped(NodeLabel(renamed[i].graph, renamed[i].to)) + "\n";
    if (renamed.size() > kMostRows) out_ += "- ...\n";
    out_ += "\n</details>\n";
  }

  const DiffReport& report_;
  std::string out_;
};

}  // namespace

std::string DiffMarkdown(const DiffReport& report) { return DiffMarkdownWriter(report).Write(); }

}  // namespace fakeprop
