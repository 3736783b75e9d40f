// Compares a run with the annotations of an earlier one, the golden file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/json/json_tree.h"
#include "lib/lint/compare.h"

namespace fakeprop {

// Whether a text is annotations, of whatever version: what `fakeprop GRAPH -o FILE` writes.
bool IsAnnotations(std::string_view text);

class GoldenFile {
 public:
  // Reads annotations (fakeprop.annotations/1). Messages call the file `name`. Any other text adds a diagnostic, and
  // nothing is returned.
  static std::optional<GoldenFile> Read(std::string_view text, const std::string& name, DiagnosticSink& sink);

  // A finding for each cause of values that are others than before, one for the nodes of a graph that are new and one
  // for those that are gone; for a golden of another graph that alone. Storages may have other ids: only which values
  // share one counts.
  std::vector<Finding> Compare(const LintRun& run) const;

 private:
  struct Nodes {
    std::vector<std::string> order;
    std::map<std::string, JsonValue, std::less<>> by_name;
  };
  friend class GoldenReader;
  friend class GoldenReference;
  friend class AliasFinder;

  std::optional<Finding> OtherGraph(const LintRun& run) const;
  std::optional<Finding> NewNodes(const LintRun& run, const GraphAnnotations& annotations, const Nodes& nodes) const;
  std::optional<Finding> MissingNodes(const LintRun& run, const std::string& path, const Nodes& nodes) const;

  std::string name_;
  std::string source_;  // ", model.json": of the graph that it annotates; empty where the file does not say
  std::shared_ptr<const JsonTree> tree_;
  std::map<std::string, Nodes> graphs_;  // by path
  std::map<int64_t, JsonValue> storages_;
};

}  // namespace fakeprop
