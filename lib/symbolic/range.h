// Intervals of integers. Source: torch/utils/_sympy/value_ranges.py (torch 2.13).
#pragma once

#include <cstdint>
#include <string>

namespace fakeprop {

// From low to high, both included. The ends of int64 mean that there is no bound.
struct Range {
  static constexpr int64_t kNoLow = INT64_MIN;
  static constexpr int64_t kNoHigh = INT64_MAX;
  int64_t low = kNoLow;
  int64_t high = kNoHigh;

  static Range Of(int64_t value) { return {value, value}; }
  bool IsPoint() const { return low == high; }
  bool IsEmpty() const { return low > high; }
  bool Has(int64_t value) const { return low <= value && value <= high; }
  friend bool operator==(const Range&, const Range&) = default;
};

Range Intersect(Range a, Range b);
// The least range that has both.
Range Union(Range a, Range b);

// Each of the following returns a range that has the result for all values of its arguments. A bound that leaves int64
// is none.
Range operator+(Range a, Range b);
Range operator*(Range a, Range b);
Range operator-(Range a);
// The exponent is not negative.
Range PowerRange(Range base, int64_t exponent);
// The divisor is taken not to be 0.
Range FloorDivideRange(Range a, Range b);
Range ModuloRange(Range a, Range b);
Range MinRange(Range a, Range b);
Range MaxRange(Range a, Range b);

// The range as messages say it: "7", "from 1 to 64", "at least 2", "at most 9", "any number".
std::string InWords(Range range);

}  // namespace fakeprop
