#include "lib/lint/config/lint_config.h"

#include <filesystem>

#include "lib/lint/checks/graph_checks.h"

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

// fits[j] says whether the path so far fits the first j characters of the pattern.
class PatternMatch {
 public:
  explicit PatternMatch(const std::string& pattern) : pattern_(pattern), fits_(pattern.size() + 1) {
    fits_[0] = true;
    FollowStars(/*at_name=*/true);
  }

  bool Takes(const std::string& path) {
    for (const char c : path) Step(c);
    return fits_.back();
  }

 private:
  bool IsDouble(size_t at) const { return pattern_.compare(at, 2, "**") == 0; }

  // A star also stands for nothing, and `**/` for no folder where a name begins.
  void FollowStars(bool at_name) {
    for (size_t j = 0; j < pattern_.size(); ++j) {
      if (!fits_[j] || pattern_[j] != '*') continue;
      fits_[j + 1] = true;
      const bool starts_name = j == 0 || pattern_[j - 1] == '/';
      if (at_name && starts_name && pattern_.compare(j, 3, "**/") == 0) fits_[j + 3] = true;
    }
  }

  void Step(char c) {
    std::vector<bool> next(fits_.size());
    for (size_t j = 0; j < pattern_.size(); ++j) {
      if (!fits_[j]) continue;
      const bool is_folder_star = IsDouble(j) || (j > 0 && IsDouble(j - 1));
      if (pattern_[j] == '*' && (c != '/' || is_folder_star)) next[j] = true;
      else if (pattern_[j] != '*' && (pattern_[j] == c || (pattern_[j] == '?' && c != '/'))) next[j + 1] = true;
    }
    fits_ = std::move(next);
    FollowStars(c == '/');
  }

  const std::string& pattern_;
  std::vector<bool> fits_;
};

std::string Normal(const std::string& path) { return fs::path(path).lexically_normal().generic_string(); }

void SetLevels(const CheckLevels& levels, CheckSettings& settings) {
  for (const auto& [code, level] : levels) settings.levels[code] = level.value;
}

bool IsNamed(const LintException& exception, const Finding& finding) {
  return finding.diagnostic.code.id == exception.code &&
         (exception.node.empty() || FitsPattern(finding.diagnostic.node, exception.node));
}

}  // namespace

bool FitsPattern(const std::string& path, const std::string& pattern) {
  const std::string normal = Normal(pattern);
  return PatternMatch(normal).Takes(Normal(path));
}

CheckSettings SettingsFor(const LintConfig& config, const std::string& path) {
  CheckSettings settings;
  SetLevels(config.rules, settings);
  if (config.broadcast_factor.is_set()) settings.broadcast_factor = config.broadcast_factor.value;
  if (config.broadcast_bytes.is_set()) settings.broadcast_bytes = config.broadcast_bytes.value;
  if (config.intermediate_bytes.is_set()) settings.intermediate_bytes = config.intermediate_bytes.value;
  for (const GraphConfig& graph : config.graph) {
    if (!FitsPattern(path, graph.path)) continue;
    if (graph.is_static.value) settings.levels.insert_or_assign("FP8016", CheckLevel::kError);
    SetLevels(graph.rules, settings);
  }
  return settings;
}

size_t TakeExceptions(const LintConfig& config, const std::string& path, std::vector<Finding>& findings) {
  const size_t before = findings.size();
  for (const GraphConfig& graph : config.graph) {
    if (graph.exceptions.empty() || !FitsPattern(path, graph.path)) continue;
    for (const LintException& exception : graph.exceptions)
      std::erase_if(findings, [&](const Finding& finding) { return IsNamed(exception, finding); });
  }
  return before - findings.size();
}

}  // namespace fakeprop
