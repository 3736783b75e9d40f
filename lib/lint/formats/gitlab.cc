// Source: GitLab, "Code Quality report format".
#include "lib/json/json_writer.h"
#include "lib/lint/formats/finding_list.h"
#include "lib/lint/formats/lint_formats.h"

namespace fakeprop {
namespace {

struct Issue {
  std::string description;
  std::string_view check;
  std::string fingerprint;
  std::string_view severity;
  SourcePlace place;
};

void WriteIssue(const Issue& issue, JsonWriter& json) {
  json.NewLine(2);
  json.BeginObject();
  json.Key("description").String(issue.description);
  json.Key("check_name").String(issue.check);
  json.Key("fingerprint").String(issue.fingerprint);
  json.Key("severity").String(issue.severity);
  json.Key("location").BeginObject();
  json.Key("path").String(issue.place.file);
  json.Key("lines").BeginObject();
  json.Key("begin").Int(issue.place.line);
  json.EndObject();
  json.EndObject();
  json.EndObject();
}

}  // namespace

std::string LintGitlab(const std::vector<GraphFindings>& graphs, SourcePlaces& places) {
  JsonWriter json;
  json.BeginArray();
  for (const GraphFindings& graph : graphs)
    for (size_t i = 0; i < graph.trouble.size(); ++i) {
      const Diagnostic& d = graph.trouble[i];
      WriteIssue({d.message, d.code.id, PlainPath(graph.graph) + ":trouble:" + std::to_string(i + 1), "blocker",
                     {PlainPath(graph.graph)}},
          json);
    }
  for (const ListedFinding& listed : ListFindings(graphs, places)) {
    const Diagnostic& d = listed.diagnostic();
    WriteIssue({std::string(d.code.id) + ": " + d.message, d.code.id, listed.fingerprint,
                   listed.is_error() ? "major" : "minor", listed.place},
        json);
  }
  json.NewLine(0);
  json.EndArray();
  return json.Take() + "\n";
}

}  // namespace fakeprop
