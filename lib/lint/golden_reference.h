// Compares a run with the annotations of an earlier run, the golden file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/json/json_tree.h"
#include "lib/lint/find_differences.h"

namespace fakeprop {

// Returns true if a text is annotations of any version, as `fakeprop GRAPH -o FILE` writes them.
bool IsAnnotations(std::string_view text);

class GoldenFile {
 public:
  // Reads annotations (fakeprop.annotations/1). Messages call the file `name`. Any other text adds a diagnostic, and
  // nothing is returned.
  static std::optional<GoldenFile> Read(std::string_view text, const std::string& name, DiagnosticSink& sink);

  // Returns one finding for each cause of changed values, one for the new nodes of a graph and one for those that are
  // gone. If the golden is of another graph, returns only a finding that says so. Ids of storages may differ: it only
  // counts which values share a storage.
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
  std::string source_;  // ", model.json": the graph that the file annotates; empty if the file does not say it
  std::shared_ptr<const JsonTree> tree_;
  std::map<std::string, Nodes> graphs_;  // by path
  std::map<int64_t, JsonValue> storages_;
};

}  // namespace fakeprop
