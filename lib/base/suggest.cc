#include "lib/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace fakeprop {
namespace {

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

bool IsSameButForCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (IsSameButForCase(word, candidate)) return candidate;
  std::string best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // A word that was cut short counts as near: --keep for --keep-going.
    const bool is_prefix = word.size() >= 5 && candidate.starts_with(word);
    const size_t distance = is_prefix ? 1 : EditDistance(word, candidate);
    // Where nothing is left of the word, another was meant.
    if (distance >= best_distance || distance >= word.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string DidYouMean(std::string_view nearest) {
  return nearest.empty() ? std::string() : "did you mean `" + std::string(nearest) + "`?";
}

}  // namespace fakeprop
