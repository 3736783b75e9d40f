#include "lib/symbolic/range.h"

#include <algorithm>

namespace fakeprop {
namespace {

bool IsUnbounded(int64_t v) { return v == Range::kNoLow || v == Range::kNoHigh; }

int64_t Saturate(__int128 v) {
  if (v <= Range::kNoLow) return Range::kNoLow;
  return v >= Range::kNoHigh ? Range::kNoHigh : static_cast<int64_t>(v);
}

// Bounds as extended numbers: 0 times no bound is 0.
int64_t Times(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (IsUnbounded(a) || IsUnbounded(b)) return (a < 0) == (b < 0) ? Range::kNoHigh : Range::kNoLow;
  return Saturate(static_cast<__int128>(a) * b);
}

int64_t Quotient(int64_t a, int64_t b) {
  if (IsUnbounded(b)) return IsUnbounded(a) ? 0 : ((a < 0) != (b < 0) && a != 0 ? -1 : 0);
  if (IsUnbounded(a)) return (a < 0) == (b < 0) ? Range::kNoHigh : Range::kNoLow;
  const __int128 x = a, y = b;
  return Saturate(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}

Range Hull(std::initializer_list<int64_t> values) { return {std::min(values), std::max(values)}; }

int64_t Negative(int64_t v) {
  if (v == Range::kNoLow) return Range::kNoHigh;
  return v == Range::kNoHigh ? Range::kNoLow : -v;
}

}  // namespace

Range Intersect(Range a, Range b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
Range Union(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range operator+(Range a, Range b) {
  Range out;
  if (a.low != Range::kNoLow && b.low != Range::kNoLow) out.low = Saturate(static_cast<__int128>(a.low) + b.low);
  if (a.high != Range::kNoHigh && b.high != Range::kNoHigh) out.high = Saturate(static_cast<__int128>(a.high) + b.high);
  // A bound that left int64 on the wrong side is none.
  if (out.low == Range::kNoHigh) out.low = Range::kNoHigh - 1;
  if (out.high == Range::kNoLow) out.high = Range::kNoLow + 1;
  return out;
}

Range operator-(Range a) { return {Negative(a.high), Negative(a.low)}; }

Range operator*(Range a, Range b) {
  return Hull({Times(a.low, b.low), Times(a.low, b.high), Times(a.high, b.low), Times(a.high, b.high)});
}

Range PowerRange(Range base, int64_t exponent) {
  Range out = Range::Of(1);
  // Beyond 64 factors only the sign and 0 or 1 still tell.
  const int64_t steps = std::min<int64_t>(exponent, 64 + exponent % 2);
  for (int64_t i = 0; i < steps; ++i) out = out * base;
  if (exponent > 0 && exponent % 2 == 0) out.low = std::max<int64_t>(out.low, 0);
  return out;
}

Range FloorDivideRange(Range a, Range b) {
  if (b.Has(0)) {
    // Division by zero is an error, so the divisor is not 0.
    if (b.low == 0) b.low = 1;
    else if (b.high == 0) b.high = -1;
    else return {};
    if (b.IsEmpty()) return {};
  }
  return Hull({Quotient(a.low, b.low), Quotient(a.low, b.high), Quotient(a.high, b.low), Quotient(a.high, b.high)});
}

Range ModuloRange(Range a, Range b) {
  if (b.low < 1) return b.high < 0 && b.low != Range::kNoLow ? Range{b.low + 1, 0} : Range{};
  if (a.low >= 0 && a.high < b.low) return a;
  Range out{0, b.high == Range::kNoHigh ? Range::kNoHigh : b.high - 1};
  if (a.low >= 0) out.high = std::min(out.high, a.high);
  return out;
}

Range MinRange(Range a, Range b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
Range MaxRange(Range a, Range b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }

std::string InWords(Range range) {
  if (range.IsPoint()) return std::to_string(range.low);
  const bool has_low = range.low != Range::kNoLow, has_high = range.high != Range::kNoHigh;
  if (has_low && has_high) return "from " + std::to_string(range.low) + " to " + std::to_string(range.high);
  if (has_low) return "at least " + std::to_string(range.low);
  return has_high ? "at most " + std::to_string(range.high) : "any number";
}

}  // namespace fakeprop
