#include "lib/symbolic/real_range.h"

#include <algorithm>
#include <initializer_list>

#include "lib/symbolic/known_ranges.h"

namespace fakeprop {
namespace {

double Real(int64_t bound) {
  if (bound == Range::kNoLow) return -INFINITY;
  return bound == Range::kNoHigh ? INFINITY : static_cast<double>(bound);
}

// 0 times an infinite end, and one infinite end divided by another, count as 0. This lies within the hull of the other
// results, or widens it.
RealRange HullOf(std::initializer_list<double> ends) {
  RealRange hull{INFINITY, -INFINITY};
  for (double end : ends) {
    if (std::isnan(end)) end = 0;
    hull = {std::min(hull.low, end), std::max(hull.high, end)};
  }
  return hull;
}

RealRange DividedRange(RealRange x, RealRange y) {
  if (y.low == 0 && x.low >= 0) return {0, INFINITY};
  if (y.low <= 0 && y.high >= 0) return {};
  return HullOf({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
}

}  // namespace

RealRange RealRangeOf(KnownRanges& ranges, Sym node) {
  if (node->op == SymOp::kReal) return {node->real, node->real};
  if (node->type == SymType::kInt) {
    const Range range = ranges.RangeOf(node);
    return {Real(range.low), Real(range.high)};
  }
  if (node->op == SymOp::kToFloat) return RealRangeOf(ranges, node->arguments[0]);
  if (node->op == SymOp::kFunction && node->name == "sqrt") {
    const RealRange x = RealRangeOf(ranges, node->arguments[0]);
    return x.low >= 0 ? RealRange{std::sqrt(x.low), std::sqrt(x.high)} : RealRange{};
  }
  const bool is_product = node->op == SymOp::kFloatMul || node->op == SymOp::kFloatDiv;
  if (!is_product && node->op != SymOp::kFloatAdd) return {};
  const RealRange x = RealRangeOf(ranges, node->arguments[0]), y = RealRangeOf(ranges, node->arguments[1]);
  if (node->op == SymOp::kFloatAdd) return {x.low + y.low, x.high + y.high};
  if (node->op == SymOp::kFloatDiv) return DividedRange(x, y);
  return HullOf({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
}

double Rounded(SymOp op, double x) {
  switch (op) {
    case SymOp::kTruncToInt: return std::trunc(x);
    case SymOp::kFloorToInt: return std::floor(x);
    case SymOp::kCeilToInt: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

}  // namespace fakeprop
