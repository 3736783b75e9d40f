// The largest value of symbols for which memory stays within a budget.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/refine/fixed_symbols.h"

namespace fakeprop {

struct LargestSize {
  enum class Outcome {
    kFound,
    kNoneFits,   // not even the least value
    kUnbounded,  // every value that was tried fits: `value` is the largest of them
  } outcome = Outcome::kNoneFits;
  int64_t value = 0;      // of kNoneFits, the least value that is allowed; 0 if there is none
  int64_t bytes = 0;      // at `value`; of kNoneFits, at the least value
  bool at_limit = false;  // `value` is the largest that the symbol may have
};

// All of `symbols`, at least one, get the same value: the same size often has several names in a graph.
// `bytes_at` gives the peak where symbols have these values; it may throw an OpError of class Overflow, which counts as
// too much. Values that the symbol's range or a guard excludes are skipped. The search takes for granted that the peak
// does not fall when the symbol grows, except that it looks at the next kLookAhead values as well.
inline constexpr int64_t kLookAhead = 256;
LargestSize FindLargestSize(const FixedSymbols& fixed, ShapeEnv& env, const std::vector<std::string>& symbols,
    int64_t budget, const std::function<int64_t(const SymbolValues&)>& bytes_at);

}  // namespace fakeprop
