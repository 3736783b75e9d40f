#include "lib/lint/formats/baseline.h"

#include "lib/diag/code_table.h"
#include "lib/json/json_parse.h"
#include "lib/json/json_writer.h"
#include "lib/lint/formats/fingerprints.h"
#include "lib/lint/formats/source_places.h"

namespace fakeprop {
namespace {

constexpr std::string_view kFormatStart = "fakeprop.baseline/", kFormat = "fakeprop.baseline/1";

void WriteEntry(const GraphFindings& graph, const Finding& finding, const std::string& fingerprint, JsonWriter& json) {
  json.NewLine(4);
  json.BeginObject();
  json.Key("graph").String(PlainPath(graph.graph));
  json.Key("code").String(finding.diagnostic.code.id);
  json.Key("fingerprint").String(fingerprint);
  if (!finding.diagnostic.node.empty()) json.Key("node").String(finding.diagnostic.node);
  json.Key("message").String(finding.diagnostic.message);
  json.EndObject();
}

}  // namespace

std::optional<Baseline> Baseline::Read(std::string_view text, const std::string& name, DiagnosticSink& sink) {
  try {
    const JsonTree tree = ParseJson(text);
    const JsonValue format = tree.root().Get("format");
    if (format.AsString() != kFormat) format.FailExpected("`" + std::string(kFormat) + "`");
    Baseline baseline;
    for (const JsonValue entry : tree.root().Get("findings").AsArray())
      baseline.known_[std::string(entry.Get("graph").AsString())].emplace(entry.Get("fingerprint").AsString());
    return baseline;
  } catch (const JsonError& e) {
    sink.Add({.code = kBadBaseline,
        .message = "this is no baseline: " + e.message,
        .file = name,
        .place = e.place,
        .notes = {"`fakeprop lint GRAPH... --baseline FILE --write-baseline` writes one"}});
    return std::nullopt;
  }
}

void Baseline::TakeKnown(GraphFindings& graph) {
  const auto known = known_.find(PlainPath(graph.graph));
  if (known == known_.end() || !graph.trouble.empty()) return;
  const std::vector<std::string> fingerprints = Fingerprints(graph);
  std::vector<Finding> left;
  for (size_t i = 0; i < graph.findings.size(); ++i) {
    if (known->second.contains(fingerprints[i])) ++graph.in_baseline;
    else left.push_back(std::move(graph.findings[i]));
  }
  graph.findings = std::move(left);
  gone_ += known->second.size() - graph.in_baseline;
}

bool IsBaseline(std::string_view text) {
  try {
    const JsonTree tree = ParseJson(text);
    return tree.root().Get("format").AsString().starts_with(kFormatStart);
  } catch (const JsonError&) {
    return false;
  }
}

std::string WriteBaseline(const std::vector<GraphFindings>& graphs) {
  JsonWriter json;
  json.BeginObject();
  json.KeyOnLine("format").String(kFormat);
  json.KeyOnLine("findings").BeginArray();
  for (const GraphFindings& graph : graphs) {
    const std::vector<std::string> fingerprints = Fingerprints(graph);
    for (size_t i = 0; i < graph.findings.size(); ++i) WriteEntry(graph, graph.findings[i], fingerprints[i], json);
  }
  json.EndArray();
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace fakeprop
