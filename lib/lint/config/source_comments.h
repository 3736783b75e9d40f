// Exceptions that stand at a line of the user's Python: `# fakeprop: ignore FP8003`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/lint/finding.h"
#include "lib/lint/formats/source_places.h"

namespace fakeprop {

// Returns true if a line ignores a code: `# fakeprop: ignore FP8003, FP8005`, or `# fakeprop: ignore` for all lint
// rules.
bool IgnoresCode(std::string_view line, std::string_view code);

// Reads the lines that findings stand at, where their files are at hand.
class SourceComments {
 public:
  explicit SourceComments(SourcePlaces places) : places_(std::move(places)) {}

  // Takes the findings that their line ignores out of the list, and counts them.
  size_t TakeIgnored(std::vector<Finding>& findings);

 private:
  bool IsIgnored(const Finding& finding);
  const std::vector<std::string>& LinesOf(const std::string& file);

  SourcePlaces places_;
  std::map<std::string, std::vector<std::string>> lines_;  // by file
};

}  // namespace fakeprop
