#include "lib/symbolic/known_ranges.h"

#include "lib/symbolic/bounds.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/real_range.h"

namespace fakeprop {
namespace {

// Ranges are kept for one of p and -p: the one whose first coefficient is positive.
bool IsFlipped(const Polynomial& p) { return !p.terms.empty() && p.terms[0].second < 0; }

Polynomial Flip(Polynomial p) {
  for (auto& [monomial, coefficient] : p.terms) coefficient = CheckedMultiply(coefficient, -1);
  p.constant = CheckedMultiply(p.constant, -1);
  return p;
}

// Terms of longer sums are only looked at one by one.
constexpr size_t kMaxRelatedTerms = 32;

}  // namespace

void KnownRanges::Declare(Sym symbol, Range range) {
  ranges_[symbol] = range;
  ++declared_;
}

void KnownRanges::DeclareHidden(Sym symbol, Range range) {
  Expire();
  ranges_[symbol] = range;
}

Sym KnownRanges::Narrow(Sym node, Range range) {
  Expire();
  Polynomial p = PolynomialOf(node);
  range = range + Range::Of(CheckedMultiply(p.constant, -1));
  p.constant = 0;
  int64_t content = ContentOf(p);
  if (content == 0) return nullptr;
  if (p.terms[0].second < 0) {
    range = -range;
    for (auto& [monomial, coefficient] : p.terms) coefficient = CheckedMultiply(coefficient, -1);
  }
  for (auto& [monomial, coefficient] : p.terms) coefficient /= content;
  // The sum takes only multiples of the content.
  if (range.low != Range::kNoLow) range.low = -FloorQuotient(-range.low, content);
  if (range.high != Range::kNoHigh) range.high = FloorQuotient(range.high, content);
  Sym key = NodeOf(*node->arena, std::move(p));
  auto [it, is_new] = ranges_.emplace(key, range);
  if (!is_new) it->second = Intersect(it->second, range);
  return key;
}

Range KnownRanges::Compute(Sym node) {
  const uint32_t epoch = epoch_;
  Range range = node->op == SymOp::kSum ? RangeOfSum(node) : RangeOfOperation(node);
  if (auto it = ranges_.find(node); it != ranges_.end()) range = Intersect(range, it->second);
  node->low = range.low;
  node->high = range.high;
  node->range_epoch = epoch;
  return range;
}

// First the terms one by one, then what is known of them together. If the sign is still open: what they have in common.
Range KnownRanges::RangeOfSum(Sym node) {
  Range range = Range::Of(node->integer);
  for (size_t i = 0; i < node->arguments.size(); ++i)
    range = range + Range::Of(node->coefficients[i]) * RangeOf(node->arguments[i]);
  const Polynomial sum = PolynomialOf(node);
  range = RangeOfTerms(node, range, sum);
  if (!range.Has(0) || sum.terms.size() > kMaxRelatedTerms) return range;
  range = Intersect(range, BoundByShifting(*this, sum));
  return range.Has(0) ? Intersect(range, BoundByQuotients(*this, sum)) : range;
}

Range KnownRanges::RangeOfTerms(Sym node, Range range, Polynomial linear) {
  if (ranges_.size() <= declared_) return range;
  linear.constant = 0;
  const bool flipped = IsFlipped(linear);
  const int64_t content = ContentOf(linear);
  if (flipped) linear = Flip(std::move(linear));
  for (auto& [monomial, coefficient] : linear.terms) coefficient /= content;
  auto it = ranges_.find(NodeOf(*node->arena, std::move(linear)));
  if (it == ranges_.end()) return range;
  return Intersect(range, Range::Of(flipped ? -content : content) * it->second + Range::Of(node->integer));
}

Range KnownRanges::RangeOfOperation(Sym node) {
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

}  // namespace fakeprop
