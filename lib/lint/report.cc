#include "lib/lint/report.h"

#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/base/json_text.h"
#include "lib/diag/render_json.h"
#include "lib/diag/render_text.h"

namespace fakeprop {
namespace {

constexpr size_t kMaxFollowers = 5;

std::string FollowersText(const std::vector<std::string>& followers) {
  std::string text =
      Counted(followers.size(), "later node") + (followers.size() == 1 ? " differs" : " differ") + " because of it: ";
  const size_t shown = std::min(followers.size(), kMaxFollowers);
  for (size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + followers[i];
  return text + (shown < followers.size() ? ", ..." : "");
}

void WriteFields(const std::vector<FieldDifference>& fields, std::string& out) {
  out += ", \"fields\": [";
  for (size_t i = 0; i < fields.size(); ++i) {
    out += i ? ", {\"field\": " : "{\"field\": ";
    WriteString(fields[i].field, out);
    out += ", \"expected\": ";
    WriteString(fields[i].expected, out);
    out += ", \"found\": ";
    WriteString(fields[i].found, out);
    out += '}';
  }
  out += ']';
}

void WriteFinding(const std::string& graph, const Finding& finding, std::string& out) {
  out += "{\"graph\": ";
  WriteString(graph, out);
  out += ", ";
  WriteDiagnosticMembers(finding.diagnostic, out);
  if (!finding.subgraph.empty()) {
    out += ", \"subgraph\": ";
    WriteString(finding.subgraph, out);
  }
  if (!finding.fields.empty()) WriteFields(finding.fields, out);
  if (!finding.also_differ.empty()) {
    out += ", \"also_differ\": [";
    for (size_t i = 0; i < finding.also_differ.size(); ++i) {
      if (i) out += ", ";
      WriteString(finding.also_differ[i], out);
    }
    out += ']';
  }
  out += '}';
}

size_t CountNodes(const std::vector<GraphFindings>& graphs) {
  size_t nodes = 0;
  for (const GraphFindings& graph : graphs) nodes += graph.nodes;
  return nodes;
}

}  // namespace

std::string FindingText(const Finding& finding, Paint paint) {
  Diagnostic d = finding.diagnostic;
  std::vector<Operand> rows;
  for (const FieldDifference& field : finding.fields)
    rows.push_back({field.field, "expected " + field.expected + ", found " + field.found, ""});
  d.operands.insert(d.operands.begin(), rows.begin(), rows.end());
  if (!finding.subgraph.empty()) d.notes.push_back("in the subgraph `" + finding.subgraph + "`");
  if (!finding.also_differ.empty()) d.notes.push_back(FollowersText(finding.also_differ));
  return RenderText(d, paint);
}

size_t CountFindings(const std::vector<GraphFindings>& graphs) {
  size_t count = 0;
  for (const GraphFindings& graph : graphs) count += graph.findings.size();
  return count;
}

std::string LintText(const std::vector<GraphFindings>& graphs, Paint paint) {
  std::string out;
  for (const GraphFindings& graph : graphs) {
    if (graphs.size() > 1 && !graph.findings.empty()) out += paint(Color::kBold, graph.graph + ":") + "\n";
    for (const Finding& finding : graph.findings) out += FindingText(finding, paint) + "\n";
  }
  const size_t count = CountFindings(graphs);
  out += count ? paint(Color::kError, Counted(count, "finding")) : "no findings";
  return out + " in " + Counted(CountNodes(graphs), "node") + " of " + Counted(graphs.size(), "graph") + "\n";
}

std::string LintJson(const std::vector<GraphFindings>& graphs) {
  std::string out = "{\n  \"format\": \"fakeprop.lint/1\",\n  \"findings\": [";
  bool first = true;
  for (const GraphFindings& graph : graphs) {
    for (const Finding& finding : graph.findings) {
      out += first ? "\n    " : ",\n    ";
      first = false;
      WriteFinding(graph.graph, finding, out);
    }
  }
  out += "],\n  \"summary\": {\"graphs\": ";
  WriteInt(static_cast<int64_t>(graphs.size()), out);
  out += ", \"nodes\": ";
  WriteInt(static_cast<int64_t>(CountNodes(graphs)), out);
  out += ", \"findings\": ";
  WriteInt(static_cast<int64_t>(CountFindings(graphs)), out);
  return out + "}\n}\n";
}

}  // namespace fakeprop
