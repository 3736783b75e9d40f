// Source: Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS.
#include <algorithm>
#include <cctype>
#include <map>

#include "lib/annotations/summary.h"
#include "lib/base/version.h"
#include "lib/diag/code_explanations.h"
#include "lib/json/json_writer.h"
#include "lib/lint/formats/finding_list.h"
#include "lib/lint/formats/lint_formats.h"

namespace fakeprop {
namespace {

std::string_view LevelOf(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

// A relative URI.
std::string UriOf(const std::string& path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri;
  for (const unsigned char c : path) {
    if (std::isalnum(c) || std::string_view("-._~/").find(c) != std::string_view::npos) uri += c;
    else uri += {'%', kDigits[c >> 4], kDigits[c & 15]};
  }
  return uri;
}

class SarifWriter {
 public:
  SarifWriter(const std::vector<GraphFindings>& graphs, SourcePlaces& places)
      : graphs_(graphs), findings_(ErrorsFirst(ListFindings(graphs, places))) {
    for (const ListedFinding& finding : findings_) rules_.emplace(finding.diagnostic().code.id, 0);
    int64_t next = 0;
    for (auto& [id, index] : rules_) index = next++;
  }

  std::string Write() {
    json_.BeginObject();
    json_.Key("$schema").String("https://json.schemastore.org/sarif-2.1.0.json");
    json_.Key("version").String("2.1.0");
    json_.Key("runs").BeginArray();
    WriteRun();
    json_.EndArray();
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  void WriteRun() {
    json_.BeginObject();
    json_.Key("tool").BeginObject();
    WriteDriver(json_.Key("driver"));
    json_.EndObject();
    json_.NewLine(2);
    json_.Key("invocations").BeginArray();
    WriteInvocation();
    json_.EndArray();
    json_.NewLine(2);
    json_.Key("results").BeginArray();
    for (size_t i = 0; i < std::min(findings_.size(), kMostSarifResults); ++i) WriteResult(findings_[i]);
    json_.EndArray();
    json_.NewLine(0);
    json_.EndObject();
  }

  void WriteDriver(JsonWriter& json) {
    json.BeginObject();
    json.Key("name").String("fakeprop");
    json.Key("version").String(kVersion);
    json.Key("rules").Array(rules_, [&](const auto& rule) { WriteRule(*FindCodeInfo(rule.first)); });
    json.EndObject();
  }

  void WriteRule(const CodeInfo& info) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("id").String(info.code.id);
    json_.Key("name").String(info.code.class_name);
    WriteText(json_.Key("shortDescription"), info.title);
    json_.Key("help").BeginObject();
    json_.Key("text").String(ExplanationText(info));
    json_.Key("markdown").String(ExplanationMarkdown(info));
    json_.EndObject();
    json_.EndObject();
  }

  static void WriteText(JsonWriter& json, std::string_view text) {
    json.BeginObject();
    json.Key("text").String(text);
    json.EndObject();
  }

  // What was not linted, and how many results are left out.
  void WriteInvocation() {
    const bool is_whole =
        std::all_of(graphs_.begin(), graphs_.end(), [](const GraphFindings& graph) { return graph.trouble.empty(); });
    json_.BeginObject();
    json_.Key("executionSuccessful").Bool(is_whole);
    json_.Key("toolExecutionNotifications").BeginArray();
    for (const GraphFindings& graph : graphs_)
      for (const Diagnostic& trouble : graph.trouble) WriteNotification(graph.graph, trouble);
    if (findings_.size() > kMostSarifResults)
      WriteNotification("", {.severity = Severity::kWarning,
                                .message = "these are " + std::to_string(kMostSarifResults) + " results of " +
                                           Counted(findings_.size(), "finding") +
                                           ", the most that GitHub shows: `--format json` has all"});
    json_.EndArray();
    json_.EndObject();
  }

  void WriteNotification(const std::string& graph, const Diagnostic& d) {
    json_.BeginObject();
    json_.Key("level").String(LevelOf(d.severity));
    WriteText(json_.Key("message"), (d.code.id.empty() ? "" : std::string(d.code.id) + ": ") + d.message);
    if (!graph.empty())
      json_.Key("locations").Array(std::vector{SourcePlace{PlainPath(graph)}}, [&](const auto& place) {
        json_.BeginObject();
        WritePlace(place);
        json_.EndObject();
      });
    json_.EndObject();
  }

  void WriteResult(const ListedFinding& listed) {
    const Diagnostic& d = listed.diagnostic();
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("ruleId").String(d.code.id);
    json_.Key("ruleIndex").Int(rules_.at(d.code.id));
    json_.Key("level").String(LevelOf(d.severity));
    WriteText(json_.Key("message"), MessageWithNotes(*listed.finding));
    json_.Key("locations").BeginArray();
    WriteLocation(listed);
    json_.EndArray();
    json_.Key("partialFingerprints").BeginObject();
    json_.Key("primaryLocationLineHash").String(listed.fingerprint);
    json_.EndObject();
    json_.EndObject();
  }

  // The line, and the node as a logical location.
  void WriteLocation(const ListedFinding& listed) {
    json_.BeginObject();
    WritePlace(listed.place);
    if (const std::string& node = listed.diagnostic().node; !node.empty()) {
      json_.Key("logicalLocations").BeginArray();
      json_.BeginObject();
      json_.Key("name").String(node);
      json_.Key("fullyQualifiedName").String(PlainPath(listed.graph->graph) + ":" + NodePath(listed));
      json_.EndObject();
      json_.EndArray();
    }
    json_.EndObject();
  }

  static std::string NodePath(const ListedFinding& listed) {
    const std::string& subgraph = listed.finding->subgraph;
    return (subgraph.empty() ? "" : subgraph + ".") + listed.diagnostic().node;
  }

  void WritePlace(const SourcePlace& place) {
    json_.Key("physicalLocation").BeginObject();
    json_.Key("artifactLocation").BeginObject();
    json_.Key("uri").String(UriOf(place.file));
    json_.EndObject();
    json_.Key("region").BeginObject();
    json_.Key("startLine").Int(place.line);
    json_.EndObject();
    json_.EndObject();
  }

  const std::vector<GraphFindings>& graphs_;
  const std::vector<ListedFinding> findings_;
  std::map<std::string_view, int64_t> rules_;  // the place of each code in the list of rules
  JsonWriter json_;
};

}  // namespace

std::string LintSarif(const std::vector<GraphFindings>& graphs, SourcePlaces& places) {
  return SarifWriter(graphs, places).Write();
}

}  // namespace fakeprop
