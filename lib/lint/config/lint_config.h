// What a project sets once for all runs of lint: the file fakeprop.toml (docs/ci.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/lint/checks/graph_checks.h"

namespace fakeprop {

// A setting and the line that set it; 0 for none.
template <typename T>
struct Set {
  T value{};
  int line = 0;

  bool is_set() const { return line > 0; }
};

using CheckLevels = std::map<std::string, Set<CheckLevel>>;  // by code

// Findings that are known and right: those with this code, at nodes whose name fits.
struct LintException {
  std::string code;
  std::string node;  // a pattern; empty for all
  std::string reason;
};

// Settings for the graphs whose path fits a pattern.
struct GraphConfig {
  std::string path;  // the pattern
  int line = 0;
  Set<std::string> inputs, golden;  // files
  Set<bool> is_static;
  CheckLevels rules;
  std::vector<LintException> exceptions;
};

struct LintConfig {
  std::string file;                      // its path
  Set<std::vector<std::string>> graphs;  // patterns
  Set<std::string> inputs, golden, baseline, device, max_memory;
  Set<bool> recorded;
  Set<std::vector<std::string>> formats, libraries, op_rules;
  Set<int64_t> jobs;
  CheckLevels rules;
  Set<int64_t> broadcast_factor, broadcast_bytes, intermediate_bytes;
  std::vector<GraphConfig> graph;  // [[graph]]; later ones win
};

// Paths in the result are those of the file, behind the folder of `file`. An unknown key, a value of another type and
// text that is no TOML add a diagnostic of code FP5008 with the line, and nothing is returned.
std::optional<LintConfig> ReadLintConfig(std::string_view text, const std::string& file, DiagnosticSink& sink);

// The settings of the checks for a graph. `path` is as on the command line.
CheckSettings SettingsFor(const LintConfig& config, const std::string& path);

// Returns true if a path fits a pattern: `*` and `?` stay within a name, `**` crosses folders.
bool FitsPattern(const std::string& path, const std::string& pattern);

// Takes the findings that an exception of the graph names out of its findings, and counts them.
size_t TakeExceptions(const LintConfig& config, const std::string& path, std::vector<Finding>& findings);

// All settings as TOML. A comment behind each says where it comes from.
std::string DescribeConfig(const LintConfig& config);

}  // namespace fakeprop
