#include "lib/memory/largest_size.h"

#include <algorithm>

#include "lib/error/error.h"

namespace fakeprop {
namespace {

// Beyond it products of sizes leave 64 bits in most graphs.
constexpr int64_t kGreatestSize = int64_t{1} << 32;

class SizeSearch {
 public:
  SizeSearch(const FixedSymbols& fixed, const std::vector<std::string>& symbols, int64_t budget,
      const std::function<int64_t(const SymbolValues&)>& bytes_at)
      : fixed_(fixed), symbols_(symbols), budget_(budget), bytes_at_(bytes_at) {}

  // Bytes at a value. Nothing if it is excluded.
  std::optional<int64_t> BytesAt(int64_t value) const {
    FixedSymbols at = fixed_;
    for (const std::string& symbol : symbols_)
      if (!at.TryFix(symbol, value)) return std::nullopt;
    try {
      return bytes_at_(at.Point());
    } catch (const OpError&) {
      return INT64_MAX;
    }
  }
  bool Fits(int64_t bytes) const { return bytes <= budget_; }

  // The first value at or after `from` (in steps of `step`) that is allowed, within kLookAhead values.
  std::optional<int64_t> NextAllowed(int64_t from, int64_t step, Range range) const {
    for (int64_t i = 0; i < kLookAhead; ++i) {
      const int64_t value = from + i * step;
      if (!range.Has(value)) return std::nullopt;
      if (BytesAt(value)) return value;
    }
    return std::nullopt;
  }

  LargestSize Search(Range range) const {
    LargestSize result;
    const std::optional<int64_t> least = NextAllowed(range.low, 1, range);
    if (!least) return result;
    result.value = *least;
    result.bytes = *BytesAt(*least);
    if (!Fits(result.bytes)) return result;
    Bisect(*least, range, result);
    result.bytes = *BytesAt(result.value);
    return result;
  }

 private:
  // `fits` is a value that fits. Doubles until one does not, then halves the interval.
  void Bisect(int64_t fits, Range range, LargestSize& result) const {
    int64_t fails = fits;
    for (int64_t stride = 1; fails <= fits; stride *= 2) {
      const std::optional<int64_t> next = fits + stride > range.high
                                              ? NextAllowed(range.high, -1, {fits + 1, range.high})
                                              : NextAllowed(fits + stride, 1, range);
      if (!next) return Finish(fits, range, result);
      if (Fits(*BytesAt(*next))) fits = *next;
      else fails = *next;
    }
    while (fits + 1 < fails) {
      const int64_t middle = fits + (fails - fits) / 2;
      const std::optional<int64_t> next = NextAllowed(middle, 1, {middle, fails - 1});
      if (!next) fails = middle;
      else if (Fits(*BytesAt(*next))) fits = *next;
      else fails = middle;
    }
    Finish(LookAhead(fits, range), range, result);
  }

  int64_t LookAhead(int64_t fits, Range range) const {
    const int64_t end = std::min(range.high, fits + kLookAhead);
    for (int64_t value = end; value > fits; --value)
      if (const auto bytes = BytesAt(value); bytes && Fits(*bytes)) return value;
    return fits;
  }

  void Finish(int64_t fits, Range range, LargestSize& result) const {
    result.value = fits;
    result.at_limit = !NextAllowed(fits + 1, 1, range);
    result.outcome = result.at_limit && range.high >= kGreatestSize ? LargestSize::Outcome::kUnbounded
                                                                    : LargestSize::Outcome::kFound;
  }

  const FixedSymbols& fixed_;
  const std::vector<std::string>& symbols_;
  int64_t budget_;
  const std::function<int64_t(const SymbolValues&)>& bytes_at_;
};

}  // namespace

LargestSize FindLargestSize(const FixedSymbols& fixed, ShapeEnv& env, const std::vector<std::string>& symbols,
    int64_t budget, const std::function<int64_t(const SymbolValues&)>& bytes_at) {
  Range range = {0, kGreatestSize};
  for (const std::string& symbol : symbols) {
    Sym node = env.FindSymbol(symbol);
    if (!node) return {};
    range = Intersect(range, env.RangeOf(node));
  }
  return SizeSearch(fixed, symbols, budget, bytes_at).Search(range);
}

}  // namespace fakeprop
