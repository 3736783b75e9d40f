#include "lib/value_ranges/value_range.h"

#include <limits>

namespace fakeprop {
namespace {

ValueEnd EndOf(Sym at, const Met& met) { return at ? ValueEnd{at, met} : ValueEnd{}; }

Range RangeOfDtype(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Bool: return {0, 1};
    case ScalarType::Byte: return {0, 255};
    case ScalarType::Char: return {-128, 127};
    case ScalarType::Short: return {-32768, 32767};
    case ScalarType::UInt16: return {0, 65535};
    case ScalarType::Int: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default: return {};
  }
}

// What is left of an input's elements after a number was added.
void KeepInput(ValueRange& out, const ValueRange& from, const ValueRange& added) {
  if (from.input < 0 || !added.IsPoint() || !added.low.at->IsInteger()) return;
  out.input = from.input;
  out.is_buffer = from.is_buffer;
  out.shift = from.shift + added.low.at->integer;
}

// The interval of the negative numbers, for all integers.
ValueRange Flip(const ValueRange& a) {
  const auto negative = [](const ValueEnd& end) { return end.at ? EndOf(Scale(end.at, -1), end.met) : end; };
  return {negative(a.high), negative(a.low)};
}

// Numbers that count up still do so after a number was added.
void KeepCount(ValueRange& out, const ValueRange& from, const ValueRange& added) {
  if (!added.IsPoint()) return;
  out.counts_along = from.counts_along;
  out.step = from.step;
  out.is_sorted = from.is_sorted;
  out.is_permutation = from.is_permutation;
}

}  // namespace

Met BothMet(const Met& a, const Met& b, bool is_outer) {
  Met met;
  const bool agree = a.when == b.when || a.when == Met::kInAllRuns || b.when == Met::kInAllRuns;
  if (!agree) return met;
  met.when = a.when == Met::kInAllRuns ? b.when : a.when;
  met.by_all = a.by_all && b.by_all;
  met.by_one = (a.by_all && b.by_one) || (a.by_one && b.by_all) || (is_outer && a.by_one && b.by_one);
  return met.by_one ? met : Met();
}

ValueRange SomeOf(ValueRange range) {
  if (!range.low.met.by_all) range.low.met = {};
  if (!range.high.met.by_all) range.high.met = {};
  range.counts_along = -1;
  range.is_sorted = range.is_permutation = false;
  return range;
}

ValueRange Rearranged(ValueRange range) {
  range.counts_along = -1;
  range.is_sorted = range.is_permutation = false;
  return range;
}

ValueRange RangeMath::Any(ScalarType dtype) const {
  const Range range = RangeOfDtype(dtype);
  if (dtype == ScalarType::Int || range == Range()) return {};
  return Between(Number(range.low), Number(range.high));
}

Sym RangeMath::Extreme(Sym a, Sym b, bool greatest) const {
  if (!a || !b) return nullptr;
  if (IsAtMost(a, b)) return greatest ? b : a;
  if (IsAtMost(b, a)) return greatest ? a : b;
  return greatest ? fakeprop::Maximum(a, b) : fakeprop::Minimum(a, b);
}

Sym RangeMath::Least(Sym a, Sym b) const { return Extreme(a, b, false); }
Sym RangeMath::Greatest(Sym a, Sym b) const { return Extreme(a, b, true); }

// An end that is not known may be that of int64. Then the other summand must not lead beyond it.
bool RangeMath::MayWrap(const ValueRange& a, const ValueRange& b) const {
  const bool is_high_safe = a.high.at || IsAtMost(b.high.at, Number(0));
  const bool is_low_safe = a.low.at || IsAtMost(Number(0), b.low.at);
  return !is_high_safe || !is_low_safe;
}

ValueRange RangeMath::AddEnds(const ValueRange& a, const ValueRange& b, bool is_outer) const {
  if (MayWrap(a, b) || MayWrap(b, a)) return {};
  const auto sum = [&](const ValueEnd& x, const ValueEnd& y) {
    return x.at && y.at ? EndOf(fakeprop::Add(x.at, y.at), BothMet(x.met, y.met, is_outer)) : ValueEnd();
  };
  return {sum(a.low, b.low), sum(a.high, b.high)};
}

ValueRange RangeMath::Add(const ValueRange& a, const ValueRange& b, bool is_outer) const {
  ValueRange out = AddEnds(a, b, is_outer);
  KeepInput(out, a, b);
  KeepInput(out, b, a);
  KeepCount(out, a, b);
  if (a.IsPoint()) KeepCount(out, b, a);
  return out;
}

// The least number of int64 is its own negative.
ValueRange RangeMath::Negate(const ValueRange& a) const { return a.low.at ? Flip(a) : ValueRange(); }

ValueRange RangeMath::Scale(const ValueRange& a, Sym factor) const {
  if (!a.IsKnown() && !IsAtMost(factor, Number(1))) return {};
  const auto times = [&](const ValueEnd& end) {
    return end.at ? EndOf(fakeprop::Multiply(end.at, factor), end.met) : end;
  };
  ValueRange out{times(a.low), times(a.high)};
  out.is_sorted = a.is_sorted;
  if (factor->IsInteger() && a.counts_along >= 0 && !__builtin_mul_overflow(a.step, factor->integer, &out.step))
    out.counts_along = a.counts_along;
  return out;
}

ValueRange RangeMath::MultiplyNumbers(const ValueRange& a, const ValueRange& b) const {
  if (!a.IsKnown() || !b.IsKnown()) return {};
  const auto hull = [&](const ValueRange& x) {
    return Range{env_.RangeOf(x.low.at).low, env_.RangeOf(x.high.at).high};
  };
  const Range product = hull(a) * hull(b);
  ValueRange out;
  if (product.low != Range::kNoLow) out.low.at = Number(product.low);
  if (product.high != Range::kNoHigh) out.high.at = Number(product.high);
  return out;
}

ValueRange RangeMath::Multiply(const ValueRange& a, const ValueRange& b, bool is_outer) const {
  const Sym zero = Number(0);
  if (b.IsPoint() && IsAtMost(zero, b.low.at)) return Scale(a, b.low.at);
  if (a.IsPoint() && IsAtMost(zero, a.low.at)) return Scale(b, a.low.at);
  if (b.IsPoint() && IsAtMost(b.low.at, zero)) return Scale(Negate(a), fakeprop::Scale(b.low.at, -1));
  if (!IsAtMost(zero, a.low.at) || !IsAtMost(zero, b.low.at)) return MultiplyNumbers(a, b);
  const auto may_wrap = [&](const ValueRange& x, const ValueRange& y) {
    return !x.high.at && !IsAtMost(y.high.at, Number(1));
  };
  if (may_wrap(a, b) || may_wrap(b, a)) return {};
  const auto product = [&](const ValueEnd& x, const ValueEnd& y) {
    return x.at && y.at ? EndOf(fakeprop::Multiply(x.at, y.at), BothMet(x.met, y.met, is_outer)) : ValueEnd();
  };
  return {product(a.low, b.low), product(a.high, b.high)};
}

ValueRange RangeMath::Minimum(const ValueRange& a, const ValueRange& b, bool is_outer) const {
  ValueRange out;
  out.low = EndOf(Least(a.low.at, b.low.at), BothMet(a.low.met, b.low.met, is_outer));
  if (a.high.at && b.high.at) out.high = EndOf(Least(a.high.at, b.high.at), BothMet(a.high.met, b.high.met, is_outer));
  else out.high.at = a.high.at ? a.high.at : b.high.at;
  return out;
}

ValueRange RangeMath::Maximum(const ValueRange& a, const ValueRange& b, bool is_outer) const {
  return Flip(Minimum(Flip(a), Flip(b), is_outer));
}

ValueRange RangeMath::Join(const ValueRange& a, const ValueRange& b) const {
  const auto both = [](const Met& x, const Met& y) {
    if (!x.by_one || !y.by_one || x.when != y.when) return Met();
    return Met{true, x.by_all && y.by_all, x.when};
  };
  ValueRange out{EndOf(Least(a.low.at, b.low.at), both(a.low.met, b.low.met)),
      EndOf(Greatest(a.high.at, b.high.at), both(a.high.met, b.high.met))};
  if (a.low.at != b.low.at) out.low.met.by_all = false;
  if (a.high.at != b.high.at) out.high.met.by_all = false;
  if (a.input == b.input && a.shift == b.shift) out.input = a.input, out.shift = a.shift, out.is_buffer = a.is_buffer;
  return out;
}

// What comes of a range that the dtype does not hold. A demand on the input still makes all elements fit.
ValueRange RangeMath::Whole(const ValueRange& range, ScalarType dtype) const {
  ValueRange any = Any(dtype);
  any.origin = range.origin;
  any.input = range.input;
  any.shift = range.shift;
  any.is_buffer = range.is_buffer;
  return any;
}

ValueRange RangeMath::Fit(ValueRange range, ScalarType dtype) const {
  const Range whole = RangeOfDtype(dtype);
  if (whole == Range()) return range;
  if (!range.IsKnown()) return dtype == ScalarType::Int ? range : Whole(range, dtype);
  const int64_t low = env_.RangeOf(range.low.at).low, high = env_.RangeOf(range.high.at).high;
  // A size without a bound is still far below 2**31.
  const bool is_int = dtype == ScalarType::Int;
  const bool fits = (low >= whole.low || (is_int && low == Range::kNoLow)) &&
                    (high <= whole.high || (is_int && high == Range::kNoHigh));
  return fits ? range : Whole(range, dtype);
}

ValueRange RangeMath::Cast(const ValueRange& range, ScalarType from, ScalarType to) const {
  if (from == to) return range;
  if (to == ScalarType::Bool) return CastToBool(range);
  const bool is_narrower = ItemSize(to) < ItemSize(from);
  return !range.IsKnown() && is_narrower ? Whole(range, to) : Fit(range, to);
}

ValueRange RangeMath::CastToBool(const ValueRange& range) const {
  const Sym zero = Number(0), one = Number(1);
  if (range.IsPoint() && range.low.at->IsInteger()) return Point(range.low.at == zero ? zero : one);
  const bool is_positive = range.low.at && IsAtMost(one, range.low.at);
  return is_positive ? Point(one) : Between(zero, one);
}

}  // namespace fakeprop
