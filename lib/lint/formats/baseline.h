// A file of findings that are known: an old project starts with it, and only what is new is reported.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fakeprop/diagnostic.h"
#include "lib/lint/findings_report.h"

namespace fakeprop {

// Format fakeprop.baseline/1 (docs/baseline.schema.json). Findings are known by their fingerprints, which moved lines
// leave as they are.
class Baseline {
 public:
  // Any other text adds a diagnostic, which calls the file `name`, and returns nothing.
  static std::optional<Baseline> Read(std::string_view text, const std::string& name, DiagnosticSink& sink);

  // Takes the known findings out of the graph's findings and counts them.
  void TakeKnown(GraphFindings& graph);

  // The number of known findings of the graphs that TakeKnown has seen, which these no longer have.
  size_t CountGone() const { return gone_; }

 private:
  // The fingerprints of each graph, by its path.
  std::map<std::string, std::set<std::string>> known_;
  size_t gone_ = 0;
};

// Returns true if a text is a baseline of any version.
bool IsBaseline(std::string_view text);

// The baseline with all findings of these graphs.
std::string WriteBaseline(const std::vector<GraphFindings>& graphs);

}  // namespace fakeprop
