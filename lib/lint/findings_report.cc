#include "lib/lint/findings_report.h"

#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/diag/render_json.h"
#include "lib/diag/render_text.h"
#include "lib/json/json_writer.h"

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

void WriteField(const FieldDifference& field, JsonWriter& json) {
  json.BeginObject();
  json.Key("field").String(field.field);
  json.Key("expected").String(field.expected);
  json.Key("found").String(field.found);
  json.EndObject();
}

void WriteFinding(const std::string& graph, const Finding& finding, JsonWriter& json) {
  json.BeginObject();
  json.Key("graph").String(graph);
  WriteDiagnosticMembers(finding.diagnostic, json);
  if (!finding.subgraph.empty()) json.Key("subgraph").String(finding.subgraph);
  if (!finding.fields.empty())
    json.Key("fields").Array(finding.fields, [&](const FieldDifference& field) { WriteField(field, json); });
  if (!finding.also_differ.empty())
    json.Key("also_differ").Array(finding.also_differ, [&](const std::string& node) { json.String(node); });
  json.EndObject();
}

void WriteFindings(const std::vector<GraphFindings>& graphs, JsonWriter& json) {
  json.BeginArray();
  for (const GraphFindings& graph : graphs) {
    for (const Finding& finding : graph.findings) {
      json.NewLine(4);
      WriteFinding(graph.graph, finding, json);
    }
  }
  json.EndArray();
}

size_t CountNodes(const std::vector<GraphFindings>& graphs) {
  size_t nodes = 0;
  for (const GraphFindings& graph : graphs) nodes += graph.nodes;
  return nodes;
}

void WriteSummary(const std::vector<GraphFindings>& graphs, JsonWriter& json) {
  json.BeginObject();
  json.Key("graphs").Int(static_cast<int64_t>(graphs.size()));
  json.Key("nodes").Int(static_cast<int64_t>(CountNodes(graphs)));
  json.Key("findings").Int(static_cast<int64_t>(CountFindings(graphs)));
  json.EndObject();
}

}  // namespace

std::string FindingText(const Finding& finding, Paint paint) {
  Diagnostic d = finding.diagnostic;
  std::vector<OperandOrigin> rows;
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
  JsonWriter json;
  json.BeginObject();
  json.NewLine(2);
  json.Key("format").String("fakeprop.lint/1");
  json.NewLine(2);
  WriteFindings(graphs, json.Key("findings"));
  json.NewLine(2);
  WriteSummary(graphs, json.Key("summary"));
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace fakeprop
