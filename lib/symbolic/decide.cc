// Answers by ranges and facts. Source: ShapeEnv._maybe_evaluate_static in torch/fx/experimental/symbolic_shapes.py.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "lib/error/error.h"
#include "lib/symbolic/bounds.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// p and -p share what is known of them; of the two this is the one whose first coefficient is positive.
bool IsFlipped(const Polynomial& p) { return !p.terms.empty() && p.terms[0].second < 0; }

Polynomial Flip(Polynomial p) {
  for (auto& [monomial, coefficient] : p.terms) coefficient = CheckedMultiply(coefficient, -1);
  p.constant = CheckedMultiply(p.constant, -1);
  return p;
}

// Terms of longer sums are looked at one by one only.
constexpr size_t kMaxRelatedTerms = 32;

// A float's bounds; of NaN nothing is said.
struct RealRange {
  double low = -INFINITY, high = INFINITY;
};

double Real(int64_t bound) {
  if (bound == Range::kNoLow) return -INFINITY;
  return bound == Range::kNoHigh ? INFINITY : static_cast<double>(bound);
}

// What 0 times an infinite end comes to is 0, as is one infinite end by another: both lie within the others' hull, or
// widen it.
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

RealRange RealRangeOf(ShapeEnv& env, Sym node) {
  if (node->op == SymOp::kReal) return {node->real, node->real};
  if (node->type == SymType::kInt) {
    const Range range = env.RangeOf(node);
    return {Real(range.low), Real(range.high)};
  }
  if (node->op == SymOp::kToFloat) return RealRangeOf(env, node->arguments[0]);
  if (node->op == SymOp::kFunction && node->name == "sqrt") {
    const RealRange x = RealRangeOf(env, node->arguments[0]);
    return x.low >= 0 ? RealRange{std::sqrt(x.low), std::sqrt(x.high)} : RealRange{};
  }
  const bool is_product = node->op == SymOp::kFloatMul || node->op == SymOp::kFloatDiv;
  if (!is_product && node->op != SymOp::kFloatAdd) return {};
  const RealRange x = RealRangeOf(env, node->arguments[0]), y = RealRangeOf(env, node->arguments[1]);
  if (node->op == SymOp::kFloatAdd) return {x.low + y.low, x.high + y.high};
  if (node->op == SymOp::kFloatDiv) return DividedRange(x, y);
  return HullOf({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
}

// Each rounding keeps order, so that the rounded ends are the ends of what is rounded.
double Rounded(SymOp op, double x) {
  switch (op) {
    case SymOp::kTruncToInt: return std::trunc(x);
    case SymOp::kFloorToInt: return std::floor(x);
    case SymOp::kCeilToInt: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

}  // namespace

Range ShapeEnv::RangeOf(Sym node) {
  if (node->IsInteger()) return Range::Of(node->integer);
  if (node->range_epoch == epoch_) return {node->low, node->high};
  const uint32_t epoch = epoch_;
  Range range = node->op == SymOp::kSum ? RangeOfSum(node) : ComputeRange(node);
  if (auto it = ranges_.find(node); it != ranges_.end()) range = Intersect(range, it->second);
  node->low = range.low;
  node->high = range.high;
  node->range_epoch = epoch;
  return range;
}

// By its terms, by what is known of the terms together, and where that leaves the sign open, by what they have in
// common.
Range ShapeEnv::RangeOfSum(Sym node) {
  Range range = Range::Of(node->integer);
  for (size_t i = 0; i < node->arguments.size(); ++i)
    range = range + Range::Of(node->coefficients[i]) * RangeOf(node->arguments[i]);
  const Polynomial sum = PolynomialOf(node);
  range = RangeOfTerms(node, range, sum);
  if (!range.Has(0) || sum.terms.size() > kMaxRelatedTerms) return range;
  range = Intersect(range, BoundByShifting(*this, sum));
  return range.Has(0) ? Intersect(range, BoundByQuotients(*this, sum)) : range;
}

Range ShapeEnv::RangeOfTerms(Sym node, Range range, Polynomial linear) {
  if (ranges_.size() <= symbols_.size()) return range;
  linear.constant = 0;
  const bool flipped = IsFlipped(linear);
  const int64_t content = ContentOf(linear);
  if (flipped) linear = Flip(std::move(linear));
  for (auto& [monomial, coefficient] : linear.terms) coefficient /= content;
  auto it = ranges_.find(NodeOf(*this, std::move(linear)));
  if (it == ranges_.end()) return range;
  return Intersect(range, Range::Of(flipped ? -content : content) * it->second + Range::Of(node->integer));
}

Range ShapeEnv::ComputeRange(Sym node) {
  const auto& a = node->arguments;
  switch (node->op) {
    case SymOp::kProduct: {
      Range range = Range::Of(1);
      for (size_t i = 0; i < a.size(); ++i) range = range * PowerRange(RangeOf(a[i]), node->coefficients[i]);
      return range;
    }
    case SymOp::kFloorDiv: return FloorDivideRange(RangeOf(a[0]), RangeOf(a[1]));
    case SymOp::kMod: return ModuloRange(RangeOf(a[0]), RangeOf(a[1]));
    case SymOp::kMin:
    case SymOp::kMax: {
      Range range = RangeOf(a[0]);
      for (size_t i = 1; i < a.size(); ++i)
        range = node->op == SymOp::kMin ? MinRange(range, RangeOf(a[i])) : MaxRange(range, RangeOf(a[i]));
      return range;
    }
    case SymOp::kWhere: return Union(RangeOf(a[1]), RangeOf(a[2]));
    case SymOp::kPow: return RangeOf(a[0]).low >= 1 ? Range{1, Range::kNoHigh} : Range{};
    case SymOp::kTruncToInt:
    case SymOp::kFloorToInt:
    case SymOp::kCeilToInt:
    case SymOp::kRoundToInt: {
      const RealRange real = RealRangeOf(*this, a[0]);
      Range range;
      if (real.low > -9e18) range.low = static_cast<int64_t>(Rounded(node->op, real.low));
      if (real.high < 9e18) range.high = static_cast<int64_t>(Rounded(node->op, real.high));
      return range;
    }
    default: return {};
  }
}

std::optional<bool> ShapeEnv::Decide(Sym condition) {
  switch (condition->op) {
    case SymOp::kTruth: return condition->integer != 0;
    case SymOp::kEqualZero:
    case SymOp::kAtMostZero: return DecideZero(condition);
    case SymOp::kFloatEqual:
    case SymOp::kFloatLess:
    case SymOp::kFloatAtMost: return DecideFloat(condition);
    case SymOp::kNot: {
      auto truth = Decide(condition->arguments[0]);
      return truth ? std::optional(!*truth) : std::nullopt;
    }
    case SymOp::kAnd:
    case SymOp::kOr: {
      const bool absorbing = condition->op == SymOp::kOr;
      bool all = true;
      for (Sym part : condition->arguments) {
        auto truth = Decide(part);
        if (truth == absorbing) return absorbing;
        all &= truth.has_value();
      }
      if (all) return !absorbing;
      break;
    }
    default: break;
  }
  if (true_.contains(condition)) return true;
  if (true_.contains(Not(condition))) return false;
  return std::nullopt;
}

std::optional<bool> ShapeEnv::DecideFloat(Sym condition) {
  const RealRange a = RealRangeOf(*this, condition->arguments[0]), b = RealRangeOf(*this, condition->arguments[1]);
  if (condition->op != SymOp::kFloatEqual && a.high < b.low) return true;
  if (condition->op == SymOp::kFloatLess && a.low >= b.high) return false;
  if (condition->op == SymOp::kFloatAtMost && a.high <= b.low) return true;
  if (condition->op == SymOp::kFloatAtMost && a.low > b.high) return false;
  if (condition->op == SymOp::kFloatEqual && (a.high < b.low || a.low > b.high)) return false;
  if (true_.contains(condition)) return true;
  if (true_.contains(Not(condition))) return false;
  return std::nullopt;
}

// node == 0, or node <= 0.
std::optional<bool> ShapeEnv::DecideZero(Sym condition) {
  const bool equal = condition->op == SymOp::kEqualZero;
  Sym node = condition->arguments[0];
  const Range range = RangeOf(node);
  if (equal && !range.Has(0)) return false;
  if (equal ? range.IsPoint() : range.high <= 0) return true;
  if (!equal && range.low > 0) return false;
  if (Sym reduced = CancelFactors(*this, condition); reduced != condition) return Decide(reduced);
  if (!true_.empty()) {
    Sym zero = equal ? condition : Equal(node, Integer(0));
    if (true_.contains(zero)) return true;
    // What is at least 0 and not 0 is positive.
    if (true_.contains(Not(zero)) && (equal || range.low == 0)) return false;
  }
  try {
    if (Sym expanded = Expand(node); expanded != node)
      return Decide(equal ? Equal(expanded, Integer(0)) : AtMost(expanded, Integer(0)));
  } catch (const OpError&) {  // beyond 64 bits, or too large
  }
  return std::nullopt;
}

// The least, or the greatest; arguments that another one is known to be at least as extreme as are left out.
Sym ShapeEnv::Extreme(bool least, const std::vector<Sym>& arguments) {
  Sym out = arguments[0];
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Range lead = RangeOf(least ? Subtract(arguments[i], out) : Subtract(out, arguments[i]));
    if (lead.low >= 0) continue;
    out = lead.high <= 0 ? arguments[i] : least ? Minimum(out, arguments[i]) : Maximum(out, arguments[i]);
  }
  return out;
}

// Remainders as what the floor division leaves, minima and maxima as the one that ranges tell.
Sym ShapeEnv::Expand(Sym node) {
  if (node->arguments.empty() || node->type != SymType::kInt) return node;
  if (const Range range = RangeOf(node); range.IsPoint()) return Integer(range.low);
  std::vector<Sym> a;
  for (Sym argument : node->arguments) a.push_back(Expand(argument));
  if (node->op == SymOp::kMod) return Subtract(a[0], Multiply(a[1], FloorDivide(a[0], a[1])));
  if (node->op == SymOp::kMin || node->op == SymOp::kMax) return Extreme(node->op == SymOp::kMin, a);
  return a == node->arguments ? node : Rebuild(node, a);
}

}  // namespace fakeprop
