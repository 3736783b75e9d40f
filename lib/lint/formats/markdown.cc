#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/base/utf8.h"
#include "lib/lint/formats/finding_list.h"
#include "lib/lint/formats/lint_formats.h"

namespace fakeprop {
namespace {

// The user's text in a cell of a table.
std::string CellText(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    if (c == '|' || c == '<' || c == '>' || c == '*' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string StatusText(const GraphFindings& graph) {
  if (!graph.trouble.empty()) return "not linted: " + CellText(graph.trouble.front().message);
  return graph.findings.empty() ? "no findings" : Counted(graph.findings.size(), "finding");
}

std::string GraphRow(const GraphFindings& graph) {
  return "| " + CellText(PlainPath(graph.graph)) + " | " + std::to_string(graph.nodes) + " | " + StatusText(graph) +
         " |\n";
}

// A longer run of backticks than any in the text.
std::string Fence(const std::string& text) {
  size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  return std::string(longest + 1, '`');
}

std::string FindingBlock(const ListedFinding& listed) {
  const Diagnostic& d = listed.diagnostic();
  const std::string text = FindingText(*listed.finding, {});
  const std::string place =
      listed.place.is_python ? listed.place.file + ":" + std::to_string(listed.place.line) : listed.place.file;
  return "<details><summary>" + std::string(d.code.id) + " " + std::string(d.code.class_name) + " in " +
         CellText(place) + "</summary>\n\n" + Fence(text) + "\n" + text + Fence(text) + "\n\n</details>\n\n";
}

// Clean graphs need no row of their own where there are many.
std::string GraphTable(const std::vector<GraphFindings>& graphs) {
  constexpr size_t kMostRows = 100;
  std::string table = "| graph | nodes | result |\n|---|---:|---|\n";
  size_t rows = 0, left_out = 0;
  for (const GraphFindings& graph : graphs) {
    const bool is_clean = graph.findings.empty() && graph.trouble.empty();
    if (rows >= kMostRows || (is_clean && graphs.size() > kMostRows)) {
      ++left_out;
      continue;
    }
    ++rows;
    table += GraphRow(graph);
  }
  return table + (left_out ? "\nand " + Counted(left_out, "other graph") + "\n" : "");
}

}  // namespace

std::string LintMarkdown(const std::vector<GraphFindings>& graphs, SourcePlaces& places) {
  const std::vector<ListedFinding> findings = ErrorsFirst(ListFindings(graphs, places));
  std::string page = "## fakeprop lint: " + (findings.empty() ? "no findings" : Counted(findings.size(), "finding")) +
                     " in " + Counted(graphs.size(), "graph") + "\n\n" + GraphTable(graphs) + "\n";
  for (size_t i = 0; i < findings.size(); ++i) {
    const std::string block = FindingBlock(findings[i]);
    if (page.size() + block.size() > kMostMarkdownBytes)
      return page + "and " + Counted(findings.size() - i, "more finding") + ", which `--format json` lists\n";
    page += block;
  }
  return page;
}

}  // namespace fakeprop
