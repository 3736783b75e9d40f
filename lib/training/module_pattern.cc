#include "lib/training/module_pattern.h"

#include <algorithm>

#include "lib/diag/python_trace.h"

namespace fakeprop {

namespace {

// How many characters at the start of `path` the first sign of a pattern may take: from `least` to `most`.
struct Taken {
  size_t least, most, sign;
};

Taken TakenBy(std::string_view path, std::string_view pattern) {
  const auto count = [&](const auto& fits) {
    return static_cast<size_t>(std::find_if_not(path.begin(), path.end(), fits) - path.begin());
  };
  if (pattern.starts_with("**")) return {0, path.size(), 2};
  if (pattern[0] == '*') return {0, count([](char c) { return c != '.'; }), 1};
  if (pattern[0] == '#') return {1, count([](char c) { return c >= '0' && c <= '9'; }), 1};
  return {1, path.starts_with(pattern[0]) ? size_t{1} : size_t{0}, 1};
}

}  // namespace

bool FitsModulePattern(std::string_view path, std::string_view pattern) {
  if (pattern.empty()) return path.empty();
  const Taken taken = TakenBy(path, pattern);
  for (size_t i = taken.least; i <= taken.most; ++i)
    if (FitsModulePattern(path.substr(i), pattern.substr(taken.sign))) return true;
  return false;
}

const std::vector<std::string>& NumberedModules() {
  static const std::vector<std::string> kPatterns = {"#", "**.#"};
  return kPatterns;
}

bool FitsAnyPattern(std::string_view path, const std::vector<std::string>& patterns) {
  return std::any_of(
      patterns.begin(), patterns.end(), [&](const std::string& pattern) { return FitsModulePattern(path, pattern); });
}

std::string_view OutermostFit(std::string_view nn_module_stack, const std::vector<std::string>& patterns) {
  for (const ModuleFrame& frame : ParseModuleStack(nn_module_stack))
    if (!frame.path.empty() && FitsAnyPattern(frame.path, patterns)) return frame.path;
  return {};
}

}  // namespace fakeprop
