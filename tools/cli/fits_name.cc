#include "tools/cli/fits_name.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace fakeprop::cli {
namespace {

// A character of a pattern and where the next one stands.
struct Letter {
  char is;
  size_t after;
};

Letter LetterAt(std::string_view pattern, size_t at) {
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  return {pattern[at], at + 1};
}

// `[...]`, which begins at `at`. Without its end it is no set.
struct Set {
  bool is_in = false;
  size_t after = std::string_view::npos;
};

Set FindInSet(std::string_view pattern, size_t at, char c) {
  Set set;
  const bool is_negated = ++at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (is_negated) ++at;
  bool has_letter = false;
  while (at < pattern.size() && (pattern[at] != ']' || !has_letter)) {
    const Letter low = LetterAt(pattern, at);
    const bool is_range = low.after + 1 < pattern.size() && pattern[low.after] == '-' && pattern[low.after + 1] != ']';
    const Letter high = is_range ? LetterAt(pattern, low.after + 1) : low;
    set.is_in |= low.is <= c && c <= high.is;
    at = high.after;
    has_letter = true;
  }
  set.is_in = set.is_in != is_negated;
  if (at < pattern.size()) set.after = at + 1;
  return set;
}

// Where a pattern goes on behind what stands at `at`, which is no star, and fits a character; else nothing.
std::optional<size_t> FitsOne(std::string_view pattern, size_t at, char c) {
  if (pattern[at] == '?') return at + 1;
  if (pattern[at] == '[')
    if (const Set set = FindInSet(pattern, at, c); set.after != std::string_view::npos)
      return set.is_in ? std::optional(set.after) : std::nullopt;
  if (pattern[at] == '\\' && at + 1 == pattern.size()) return std::nullopt;
  const Letter letter = LetterAt(pattern, at);
  return letter.is == c ? std::optional(letter.after) : std::nullopt;
}

}  // namespace

// Where it does not fit, the last star takes one more character.
bool FitsName(const std::string& pattern, const std::string& name) {
  constexpr size_t kNone = std::string::npos;
  size_t at = 0, after_star = kNone, star_ends = 0;
  for (size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      after_star = ++at;
      star_ends = i;
    } else if (const auto after = at < pattern.size() ? FitsOne(pattern, at, name[i]) : std::nullopt) {
      at = *after;
      ++i;
    } else if (after_star != kNone) {
      at = after_star;
      i = ++star_ends;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == kNone;
}

}  // namespace fakeprop::cli
