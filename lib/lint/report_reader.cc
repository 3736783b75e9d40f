#include "lib/lint/report_reader.h"

#include "lib/diag/code_table.h"
#include "lib/json/json_parse.h"

namespace fakeprop {
namespace {

std::string TextOf(JsonValue json, std::string_view key) {
  const std::optional<JsonValue> text = json.Find(key);
  return text ? std::string(text->AsString()) : std::string();
}

size_t CountOf(JsonValue json, std::string_view key) { return static_cast<size_t>(json.Get(key).AsInt()); }

// What `read` makes of each item of an array, which may be missing.
template <typename Read>
auto ListOf(JsonValue json, std::string_view key, const Read& read) {
  std::vector<decltype(read(json))> items;
  if (const std::optional<JsonValue> array = json.Find(key))
    for (const JsonValue item : *array) items.push_back(read(item));
  return items;
}

std::string ReadText(JsonValue json) { return std::string(json.AsString()); }

PythonFrame ReadFrame(JsonValue json) {
  return {TextOf(json, "file"), static_cast<int>(json.Get("line").AsInt()), TextOf(json, "function"),
      TextOf(json, "source")};
}

OperandOrigin ReadOperand(JsonValue json) {
  return {TextOf(json, "name"), TextOf(json, "meta"), TextOf(json, "origin")};
}

FieldDifference ReadField(JsonValue json) {
  return {TextOf(json, "field"), TextOf(json, "expected"), TextOf(json, "found")};
}

Condition ReadCondition(JsonValue json) { return {TextOf(json, "expr"), TextOf(json, "place")}; }

Diagnostic ReadDiagnostic(JsonValue json) {
  const JsonValue code = json.Get("code");
  const CodeInfo* info = FindCodeInfo(code.AsString());
  if (!info) code.Fail("unknown code " + code.Describe());
  return {.code = info->code,
      .severity = TextOf(json, "severity") == "warning" ? Severity::kWarning : Severity::kError,
      .message = TextOf(json, "message"),
      .file = TextOf(json, "file"),
      .place = TextOf(json, "place"),
      .node = TextOf(json, "node"),
      .node_text = TextOf(json, "node_text"),
      .frames = ListOf(json, "frames", ReadFrame),
      .module = TextOf(json, "module"),
      .operands = ListOf(json, "operands", ReadOperand),
      .notes = ListOf(json, "notes", ReadText)};
}

Finding ReadFinding(JsonValue json) {
  return {ReadDiagnostic(json), TextOf(json, "subgraph"), ListOf(json, "fields", ReadField),
      ListOf(json, "also_differ", ReadText)};
}

Crossref ReadCrossref(JsonValue json) {
  Crossref crossref{.was_asked = true,
      .compared = CountOf(json, "compared"),
      .differ = CountOf(json, "differ"),
      .deviate = CountOf(json, "on_purpose")};
  for (const JsonValue entry : json.Get("not_compared"))
    crossref.not_compared[{TextOf(entry, "op"), TextOf(entry, "reason")}] = CountOf(entry, "nodes");
  return crossref;
}

GraphFindings ReadGraphFindings(JsonValue json) {
  GraphFindings graph{.graph = TextOf(json, "graph"), .nodes = CountOf(json, "nodes")};
  graph.conditions = {TextOf(json, "hints"), ListOf(json, "guards", ReadCondition)};
  if (json.Find("ignored")) graph.ignored = CountOf(json, "ignored");
  graph.trouble = ListOf(json, "trouble", ReadDiagnostic);
  if (const std::optional<JsonValue> crossref = json.Find("crossref")) graph.crossref = ReadCrossref(*crossref);
  return graph;
}

}  // namespace

std::vector<GraphFindings> ReadLintReport(std::string_view text) {
  const JsonTree tree = ParseJson(text);
  std::vector<Finding> findings = ListOf(tree.root(), "findings", ReadFinding);
  std::vector<GraphFindings> graphs;
  auto next = findings.begin();
  for (const JsonValue json : tree.root().Get("graphs")) {
    graphs.push_back(ReadGraphFindings(json));
    const size_t count = std::min<size_t>(CountOf(json, "findings"), findings.end() - next);
    graphs.back().findings.assign(std::make_move_iterator(next), std::make_move_iterator(next + count));
    next += count;
  }
  return graphs;
}

}  // namespace fakeprop
