#include "lib/lint/findings_report.h"

#include <algorithm>

#include "lib/annotations/crossref_json.h"
#include "lib/annotations/summary.h"
#include "lib/diag/code_table.h"
#include "lib/diag/render_json.h"
#include "lib/diag/render_text.h"
#include "lib/json/json_writer.h"

namespace fakeprop {
namespace {

constexpr size_t kMaxFollowers = 5;
constexpr size_t kMostShown = 20;  // findings of one graph; more are not read

// The other nodes that the finding covers. A finding without fields is about nodes that are new or gone.
std::string FollowersText(const Finding& finding) {
  const std::vector<std::string>& followers = finding.also_differ;
  const std::string verb = followers.size() == 1 ? " differs" : " differ";
  std::string text =
      finding.fields.empty() ? "with it: " : Counted(followers.size(), "later node") + verb + " because of it: ";
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

std::string_view StatusOf(const GraphFindings& graph) {
  if (!graph.trouble.empty()) return "not linted";
  return graph.findings.empty() ? "clean" : "findings";
}

void WriteGraph(const GraphFindings& graph, JsonWriter& json) {
  json.BeginObject();
  json.Key("graph").String(graph.graph);
  json.Key("status").String(StatusOf(graph));
  json.Key("nodes").Int(static_cast<int64_t>(graph.nodes));
  json.Key("findings").Int(static_cast<int64_t>(graph.findings.size()));
  if (!graph.conditions.guards.empty()) {
    json.Key("hints").String(graph.conditions.hints);
    WriteConditions(graph.conditions, json.Key("guards"));
  }
  if (graph.ignored) json.Key("ignored").Int(static_cast<int64_t>(graph.ignored));
  if (graph.crossref.was_asked) WriteCrossref(graph.crossref, json.Key("crossref"));
  if (!graph.trouble.empty())
    json.Key("trouble").Array(graph.trouble, [&](const Diagnostic& diagnostic) {
      json.BeginObject();
      WriteDiagnosticMembers(diagnostic, json);
      json.EndObject();
    });
  json.EndObject();
}

void WriteGraphs(const std::vector<GraphFindings>& graphs, JsonWriter& json) {
  json.BeginArray();
  for (const GraphFindings& graph : graphs) {
    json.NewLine(4);
    WriteGraph(graph, json);
  }
  json.EndArray();
}

struct Counts {
  size_t linted = 0, nodes = 0, not_linted = 0;
};

Counts CountGraphs(const std::vector<GraphFindings>& graphs) {
  Counts counts;
  for (const GraphFindings& graph : graphs) {
    ++(graph.trouble.empty() ? counts.linted : counts.not_linted);
    counts.nodes += graph.nodes;
  }
  return counts;
}

void WriteSummary(const std::vector<GraphFindings>& graphs, JsonWriter& json) {
  const Counts counts = CountGraphs(graphs);
  json.BeginObject();
  json.Key("graphs").Int(static_cast<int64_t>(counts.linted));
  json.Key("not_linted").Int(static_cast<int64_t>(counts.not_linted));
  json.Key("nodes").Int(static_cast<int64_t>(counts.nodes));
  json.Key("findings").Int(static_cast<int64_t>(CountFindings(graphs)));
  if (const size_t known = CountInBaseline(graphs)) json.Key("in_baseline").Int(static_cast<int64_t>(known));
  if (const size_t ignored = CountIgnored(graphs)) json.Key("ignored").Int(static_cast<int64_t>(ignored));
  json.EndObject();
}

// The conditions that the findings and the absence of others rely on, then the graphs that were not linted.
std::string ReservationsText(const std::vector<GraphFindings>& graphs, Paint paint) {
  std::string text;
  for (const GraphFindings& graph : graphs) {
    const std::string conditions = ConditionsText(graph.conditions);
    if (!conditions.empty()) text += (graphs.size() > 1 ? graph.graph + " " : "this ") + conditions;
  }
  for (const GraphFindings& graph : graphs)
    if (!graph.trouble.empty()) text += paint(Color::kError, "not linted") + ": " + graph.graph + "\n";
  return text;
}

bool HasGoldenFindings(const std::vector<GraphFindings>& graphs) {
  // A finding without a node says that the file is of another graph.
  const auto is_golden = [](const Finding& finding) {
    return finding.diagnostic.code.id == kGoldenDiffers.id && !finding.diagnostic.node.empty();
  };
  return std::any_of(graphs.begin(), graphs.end(),
      [&](const GraphFindings& graph) { return std::any_of(graph.findings.begin(), graph.findings.end(), is_golden); });
}

}  // namespace

std::string FindingText(const Finding& finding, Paint paint) {
  Diagnostic d = finding.diagnostic;
  std::vector<OperandOrigin> rows;
  for (const FieldDifference& field : finding.fields)
    rows.push_back({field.field, "expected " + field.expected + ", found " + field.found, ""});
  d.operands.insert(d.operands.begin(), rows.begin(), rows.end());
  if (!finding.subgraph.empty()) d.notes.push_back("in the subgraph `" + finding.subgraph + "`");
  if (!finding.also_differ.empty()) d.notes.push_back(FollowersText(finding));
  return RenderText(d, paint);
}

size_t CountFindings(const std::vector<GraphFindings>& graphs) {
  size_t count = 0;
  for (const GraphFindings& graph : graphs) count += graph.findings.size();
  return count;
}

bool HasErrors(const std::vector<GraphFindings>& graphs) {
  const auto is_error = [](const Finding& finding) { return finding.diagnostic.severity == Severity::kError; };
  return std::any_of(graphs.begin(), graphs.end(),
      [&](const GraphFindings& graph) { return std::any_of(graph.findings.begin(), graph.findings.end(), is_error); });
}

size_t CountInBaseline(const std::vector<GraphFindings>& graphs) {
  size_t count = 0;
  for (const GraphFindings& graph : graphs) count += graph.in_baseline;
  return count;
}

size_t CountIgnored(const std::vector<GraphFindings>& graphs) {
  size_t count = 0;
  for (const GraphFindings& graph : graphs) count += graph.ignored;
  return count;
}

std::string LintText(const std::vector<GraphFindings>& graphs, Paint paint) {
  std::string out;
  for (const GraphFindings& graph : graphs) {
    if (graphs.size() > 1 && !graph.findings.empty()) out += paint(Color::kBold, graph.graph + ":") + "\n";
    const size_t shown = std::min(graph.findings.size(), kMostShown);
    for (size_t i = 0; i < shown; ++i) out += FindingText(graph.findings[i], paint) + "\n";
    if (shown < graph.findings.size())
      out += "and " + Counted(graph.findings.size() - shown, "more finding") + ", which `--format json` lists\n\n";
  }
  const size_t count = CountFindings(graphs);
  const Counts counts = CountGraphs(graphs);
  if (counts.linted == 0 && counts.not_linted) return ReservationsText(graphs, paint);
  out += count ? paint(Color::kError, Counted(count, "finding")) : "no findings";
  out += " in " + Counted(counts.nodes, "node") + " of " + Counted(counts.linted, "graph") + "\n";
  if (const size_t known = CountInBaseline(graphs))
    out += "not listed: " + Counted(known, "finding") + " of the baseline\n";
  if (const size_t ignored = CountIgnored(graphs))
    out += "not listed: " + Counted(ignored, "finding") + " that exceptions name\n";
  if (HasGoldenFindings(graphs)) out += "`--update-golden` accepts what differs from a golden file\n";
  return out + ReservationsText(graphs, paint);
}

std::string LintJson(const std::vector<GraphFindings>& graphs) {
  JsonWriter json;
  json.BeginObject();
  json.KeyOnLine("format").String("fakeprop.lint/1");
  WriteFindings(graphs, json.KeyOnLine("findings"));
  WriteGraphs(graphs, json.KeyOnLine("graphs"));
  WriteSummary(graphs, json.KeyOnLine("summary"));
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace fakeprop
