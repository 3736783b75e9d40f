#include "lib/symbolic/bounds.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "lib/error/error.h"
#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/known_ranges.h"

namespace fakeprop {
namespace {

constexpr size_t kMaxAtoms = 6;
constexpr int64_t kMaxExponent = 8;
constexpr size_t kMaxTerms = 256;

// x = end + sign * t, t >= 0, and t <= width if the range has both ends.
struct ShiftedAtom {
  Sym atom;
  int64_t end;
  int64_t sign;
  int64_t width;  // Range::kNoHigh: none
};

using Exponents = std::array<uint8_t, kMaxAtoms>;
using Terms = std::map<Exponents, int64_t>;

bool Accumulate(int64_t& sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

class Shifting {
 public:
  explicit Shifting(KnownRanges& ranges) : ranges_(ranges) {}

  Range Bound(const Polynomial& sum) {
    terms_[{}] = sum.constant;
    for (const auto& [monomial, coefficient] : sum.terms)
      if (!AddTerm(monomial, coefficient)) return {};
    return Extremes();
  }

 private:
  bool AddTerm(Sym monomial, int64_t coefficient) {
    Terms product{{Exponents{}, coefficient}};
    for (const auto& [factor, exponent] : FactorsOf(monomial)) {
      const size_t at = IndexOf(factor);
      if (at == kMaxAtoms || exponent < 0 || exponent > kMaxExponent) return false;
      for (int64_t i = 0; i < exponent; ++i)
        if (!MultiplyBy(at, product)) return false;
    }
    for (const auto& [exponents, c] : product)
      if (!Accumulate(terms_[exponents], c, 1)) return false;
    return terms_.size() <= kMaxTerms;
  }

  // Of an atom of the sum; kMaxAtoms if it has no bound or is one too many.
  size_t IndexOf(Sym atom) {
    const auto at = std::find_if(atoms_.begin(), atoms_.end(), [&](const ShiftedAtom& a) { return a.atom == atom; });
    if (at != atoms_.end()) return static_cast<size_t>(at - atoms_.begin());
    const Range range = ranges_.RangeOf(atom);
    const bool has_low = range.low != Range::kNoLow, has_high = range.high != Range::kNoHigh;
    int64_t width = Range::kNoHigh;
    if (atoms_.size() == kMaxAtoms || (!has_low && !has_high)) return kMaxAtoms;
    if (has_low && has_high && __builtin_sub_overflow(range.high, range.low, &width)) width = Range::kNoHigh;
    atoms_.push_back({atom, has_low ? range.low : range.high, has_low ? 1 : -1, width});
    return atoms_.size() - 1;
  }

  bool MultiplyBy(size_t at, Terms& product) const {
    Terms out;
    for (const auto& [exponents, c] : product) {
      if (!Accumulate(out[exponents], c, atoms_[at].end)) return false;
      Exponents raised = exponents;
      ++raised[at];
      if (!Accumulate(out[raised], c, atoms_[at].sign)) return false;
    }
    product = std::move(out);
    return product.size() <= kMaxTerms;
  }

  Range Largest(const Exponents& exponents) const {
    Range range = Range::Of(1);
    for (size_t i = 0; i < atoms_.size(); ++i)
      if (exponents[i]) range = range * PowerRange({0, atoms_[i].width}, exponents[i]);
    return range;
  }

  Range Extremes() const {
    Range range = Range::Of(0);
    for (const auto& [exponents, c] : terms_) range = range + Range::Of(c) * Largest(exponents);
    return range;
  }

  KnownRanges& ranges_;
  std::vector<ShiftedAtom> atoms_;
  Terms terms_;
};

// The floor divisions that are used. Those that leave no remainder are exact, so they come first.
enum class Quotients { kExact, kAll };

bool IsExact(KnownRanges& ranges, Sym quotient) {
  return ranges.conditions().Holds(
      Equal(Modulo(quotient->arguments[0], quotient->arguments[1]), quotient->arena->Integer(0)));
}

// The floor division by a number among the factors of a monomial whose other factors are 0 or more; else null.
Sym QuotientIn(KnownRanges& ranges, Sym monomial, Quotients which) {
  Sym quotient = nullptr;
  for (const auto& [factor, exponent] : FactorsOf(monomial)) {
    const bool is_quotient = factor->op == SymOp::kFloorDiv && factor->arguments[1]->IsInteger() &&
                             factor->arguments[1]->integer > 0 && (which == Quotients::kAll || IsExact(ranges, factor));
    if (is_quotient && !quotient && exponent == 1) quotient = factor;
    else if (ranges.RangeOf(factor).low < 0) return nullptr;
  }
  return quotient;
}

// A bound of the sum times `scale` from below, or above.
Sym Relax(KnownRanges& ranges, const Polynomial& sum, int64_t scale, Quotients which, bool below) {
  ExpressionArena& arena = *sum.terms[0].first->arena;
  Sym out = arena.Integer(CheckedMultiply(sum.constant, scale));
  for (const auto& [monomial, coefficient] : sum.terms) {
    const int64_t factor = CheckedMultiply(coefficient, scale);
    Sym quotient = QuotientIn(ranges, monomial, which);
    if (!quotient) {
      out = Add(out, Scale(monomial, factor));
      continue;
    }
    Sym dividend = quotient->arguments[0];
    const int64_t divisor = quotient->arguments[1]->integer;
    // (dividend - divisor + 1) / divisor <= quotient <= dividend / divisor
    if ((coefficient > 0) == below && which == Quotients::kAll)
      dividend = Subtract(dividend, arena.Integer(divisor - 1));
    out = Add(out, Scale(Multiply(TryDivideMonomial(monomial, quotient), dividend), factor / divisor));
  }
  return out;
}

// A common multiple of all divisors; 1 if there is no floor division.
int64_t CommonMultiple(KnownRanges& ranges, const Polynomial& sum, Quotients which) {
  int64_t multiple = 1;
  for (const auto& [monomial, coefficient] : sum.terms)
    if (Sym quotient = QuotientIn(ranges, monomial, which)) {
      const int64_t divisor = quotient->arguments[1]->integer;
      multiple = CheckedMultiply(multiple / std::gcd(multiple, divisor), divisor);
    }
  return multiple;
}

}  // namespace

Range BoundByShifting(KnownRanges& ranges, const Polynomial& sum) { return Shifting(ranges).Bound(sum); }

Range BoundByQuotients(KnownRanges& ranges, const Polynomial& sum) try {
  Quotients which = Quotients::kExact;
  int64_t scale = CommonMultiple(ranges, sum, which);
  if (scale == 1) scale = CommonMultiple(ranges, sum, which = Quotients::kAll);
  if (scale == 1) return {};
  const Range below = ranges.RangeOf(Relax(ranges, sum, scale, which, true));
  const Range above = ranges.RangeOf(Relax(ranges, sum, scale, which, false));
  Range range;
  if (below.low != Range::kNoLow) range.low = -FloorQuotient(-below.low, scale);
  if (above.high != Range::kNoHigh) range.high = FloorQuotient(above.high, scale);
  return range;
} catch (const OpError&) {  // beyond 64 bits
  return {};
}

Sym CancelFactors(KnownRanges& ranges, Sym condition) {
  if (condition->op == SymOp::kNot) {
    Sym inner = CancelFactors(ranges, condition->arguments[0]);
    return inner == condition->arguments[0] ? condition : Not(inner);
  }
  const bool is_equality = condition->op == SymOp::kEqualZero;
  if (!is_equality && condition->op != SymOp::kAtMostZero) return condition;
  Sym node = condition->arguments[0];
  const Polynomial p = PolynomialOf(node);
  if (p.constant != 0 || p.terms.empty()) return condition;
  for (const auto& [factor, exponent] : FactorsOf(p.terms[0].first)) {
    const Range range = ranges.RangeOf(factor);
    if (!(range.low > 0 || (is_equality && !range.Has(0)))) continue;
    for (int64_t i = 0; i < exponent; ++i)
      if (Sym quotient = TryDivideExactly(node, factor)) node = quotient;
  }
  if (node == condition->arguments[0]) return condition;
  Sym zero = node->arena->Integer(0);
  return is_equality ? Equal(node, zero) : AtMost(node, zero);
}

}  // namespace fakeprop
