// The checks of lint: what runs well in a graph, but is most likely a mistake or a waste. docs/diagnostics.md explains
// each by its code, FP8xxx.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/lint/find_differences.h"
#include "lib/lint/finding.h"

namespace fakeprop {

enum class CheckLevel { kOff, kWarning, kError };

// What a project can set.
struct CheckSettings {
  std::map<std::string, CheckLevel, std::less<>> levels;  // by code; a check without an entry has its own level
  int64_t broadcast_factor = 64;                          // FP8003: the result is as many times its largest operand
  int64_t broadcast_bytes = int64_t{256} << 20;           // and has at least so many bytes
  int64_t intermediate_bytes = int64_t{4} << 30;          // FP8004: the most that one intermediate may have
};

struct CheckInfo {
  Code code;
  CheckLevel level = CheckLevel::kWarning;  // its own
};

// All checks, by code.
std::span<const CheckInfo> AllChecks();

// Runs the checks on all graphs of a run. Nodes of one check on one line of Python are one finding, which names the
// others. The run's symbols stay as they are: sizes count at their hints.
std::vector<Finding> RunChecks(const LintRun& run, const CheckSettings& settings);

}  // namespace fakeprop
