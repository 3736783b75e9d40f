#include "lib/value_ranges/value_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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
    case ScalarType::UInt32: return {0, std::numeric_limits<uint32_t>::max()};
    case ScalarType::UInt64: return {0, Range::kNoHigh};
    case ScalarType::Int: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default: return {};
  }
}

// What docs/value_ranges.md takes for granted: sizes without a greatest size are at most kSize, products of such sizes
// at most kProduct.
constexpr double kSize = double{1 << 30}, kProduct = double{int64_t{1} << 48};

double MagnitudeOf(Sym node, ShapeEnv& env);

double GreatestOf(std::span<const Sym> nodes, ShapeEnv& env) {
  double greatest = 0;
  for (const Sym node : nodes) greatest = std::max(greatest, MagnitudeOf(node, env));
  return greatest;
}

double MagnitudeOfSum(Sym sum, ShapeEnv& env) {
  double magnitude = std::abs(static_cast<double>(sum->integer));
  for (size_t i = 0; i < sum->arguments.size(); ++i)
    magnitude += std::abs(static_cast<double>(sum->coefficients[i])) * MagnitudeOf(sum->arguments[i], env);
  return magnitude;
}

double MagnitudeOfProduct(Sym product, ShapeEnv& env) {
  double magnitude = 1;
  for (size_t i = 0; i < product->arguments.size(); ++i)
    magnitude *= std::pow(MagnitudeOf(product->arguments[i], env), static_cast<double>(product->coefficients[i]));
  return product->is_unbacked ? magnitude : std::min(magnitude, kProduct);
}

// Numbers from data are no sizes: they have no bound but their ranges. A size that data decides is 0 or more by its
// declaration.
double MagnitudeOfSymbol(Sym symbol, ShapeEnv& env) {
  const bool is_size = !symbol->is_unbacked || env.symbols()[static_cast<size_t>(symbol->integer)].range.low >= 0;
  return is_size ? kSize : static_cast<double>(Range::kNoHigh);
}

// No value of the expression is further from 0.
double MagnitudeOf(Sym node, ShapeEnv& env) {
  const Range range = env.RangeOf(node);
  if (range.low != Range::kNoLow && range.high != Range::kNoHigh)
    return std::max(std::abs(static_cast<double>(range.low)), std::abs(static_cast<double>(range.high)));
  switch (node->op) {
    case SymOp::kSymbol: return MagnitudeOfSymbol(node, env);
    case SymOp::kSum: return MagnitudeOfSum(node, env);
    case SymOp::kProduct: return MagnitudeOfProduct(node, env);
    case SymOp::kFloorDiv: return MagnitudeOf(node->arguments[0], env);
    case SymOp::kMod: return MagnitudeOf(node->arguments[1], env);
    case SymOp::kMin:
    case SymOp::kMax: return GreatestOf(node->arguments, env);
    default: return std::numeric_limits<double>::infinity();
  }
}

// A number from data, or a number that is 0 or more less some number: these are numbers of int64.
bool IsNumberFromData(Sym node, ShapeEnv& env) {
  if (node->op == SymOp::kSymbol) return node->is_unbacked;
  const bool is_less = node->op == SymOp::kSum && node->arguments.size() == 1 && node->coefficients[0] == 1 &&
                       node->integer <= 0 && node->arguments[0]->op == SymOp::kSymbol;
  return is_less && node->is_unbacked && env.RangeOf(node->arguments[0]).low >= 0;
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
  if (range.high == Range::kNoHigh) return {{Number(range.low), {}}, {}};
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

bool RangeMath::IsWithin(Sym end, Range whole) const {
  const Range range = env_.RangeOf(end);
  if (whole.Has(range.low) && whole.Has(range.high) && range.low != Range::kNoLow && range.high != Range::kNoHigh)
    return true;
  if (end->IsInteger()) return false;
  if (whole == Range()) return IsNumberFromData(end, env_) || MagnitudeOf(end, env_) < static_cast<double>(whole.high);
  const double magnitude = MagnitudeOf(end, env_);
  const bool is_low_within = range.low != Range::kNoLow && range.low >= whole.low;
  const bool is_high_within = range.high != Range::kNoHigh && range.high <= whole.high;
  return (is_low_within || -magnitude > static_cast<double>(whole.low)) &&
         (is_high_within || magnitude < static_cast<double>(whole.high));
}

ValueRange RangeMath::Fit(ValueRange range, ScalarType dtype) const {
  const bool may_be_open = dtype == ScalarType::Long || dtype == ScalarType::Int;
  if (!may_be_open && !range.IsKnown()) return Whole(range, dtype);
  const Range whole = RangeOfDtype(dtype);
  for (const Sym end : {range.low.at, range.high.at})
    if (end && !IsWithin(end, whole)) return Whole(range, dtype);
  return range;
}

ValueRange RangeMath::Cast(const ValueRange& range, ScalarType from, ScalarType to) const {
  if (from == to) return range;
  if (to == ScalarType::Bool) return CastToBool(range);
  const bool keeps_all = from == ScalarType::Int && to == ScalarType::Long;
  return range.IsKnown() || keeps_all ? Fit(range, to) : Whole(range, to);
}

ValueRange RangeMath::CastToBool(const ValueRange& range) const {
  const Sym zero = Number(0), one = Number(1);
  if (range.IsPoint() && range.low.at->IsInteger()) return Point(range.low.at == zero ? zero : one);
  const bool is_positive = range.low.at && IsAtMost(one, range.low.at);
  return is_positive ? Point(one) : Between(zero, one);
}

}  // namespace fakeprop
