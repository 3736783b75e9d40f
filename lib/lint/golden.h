// An earlier annotations file as a reference.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/json/json_tree.h"
#include "lib/lint/compare.h"

namespace fakeprop {

class GoldenFile {
 public:
  // Reads annotations (fakeprop.annotations/1); `name` is the file's, for messages. What is not that adds a diagnostic
  // and gives nothing.
  static std::optional<GoldenFile> Read(std::string_view text, const std::string& name, DiagnosticSink& sink);

  // Every node that was added, taken away, or has another value; aliasing as a partition.
  std::vector<Finding> Compare(const LintRun& run) const;

 private:
  struct Nodes {
    std::vector<std::string> order;
    std::map<std::string, JsonValue, std::less<>> by_name;
  };
  friend class GoldenReader;
  friend class GoldenReference;
  friend class AliasFinder;

  Finding MissingNode(const LintRun& run, const std::string& path, const Nodes& nodes, const std::string& node) const;

  std::string name_;
  std::shared_ptr<const JsonTree> tree_;
  std::map<std::string, Nodes> graphs_;  // by path
  std::map<int64_t, JsonValue> storages_;
};

}  // namespace fakeprop
