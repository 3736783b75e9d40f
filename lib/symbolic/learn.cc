// Facts: ranges of expressions, equalities as replacements, divisors. Source: _maybe_guard_rel, _set_replacement and
// _refine_ranges in torch/fx/experimental/symbolic_shapes.py (torch 2.13).
#include <algorithm>

#include "lib/error/error.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

bool Contains(Sym node, Sym part) {
  if (node == part) return true;
  if (!(node->symbols & part->symbols)) return false;
  return std::any_of(node->arguments.begin(), node->arguments.end(), [&](Sym a) { return Contains(a, part); });
}

void ShapeEnv::Learn(Sym condition) {
  Sym fact = Substitute(condition, kInQuestions);
  if (auto known = Decide(fact)) {
    if (!*known) Fail(ErrorClass::kAssertionFailed, DescribeContradiction(condition));
    return;
  }
  ++epoch_;
  facts_.push_back(condition);
  switch (fact->op) {
    case SymOp::kAnd:
      for (Sym part : fact->arguments) Learn(part);
      return;
    case SymOp::kEqualZero: return LearnEqual(fact->arguments[0]);
    case SymOp::kAtMostZero: return Narrow(fact->arguments[0], {Range::kNoLow, 0});
    case SymOp::kNot:
      true_.insert(fact);
      if (fact->arguments[0]->op == SymOp::kEqualZero) LearnNotEqual(fact->arguments[0]->arguments[0]);
      return;
    default: true_.insert(fact);
  }
}

// The node lies within the range: what that says of its terms without the number.
void ShapeEnv::Narrow(Sym node, Range range) {
  ++epoch_;
  Polynomial p = PolynomialOf(node);
  range = range + Range::Of(CheckedMultiply(p.constant, -1));
  p.constant = 0;
  int64_t content = ContentOf(p);
  if (content == 0) return;
  if (p.terms[0].second < 0) {
    range = -range;
    for (auto& [monomial, coefficient] : p.terms) coefficient = CheckedMultiply(coefficient, -1);
  }
  for (auto& [monomial, coefficient] : p.terms) coefficient /= content;
  // Only whole multiples of the content are reached.
  if (range.low != Range::kNoLow) range.low = -FloorQuotient(-range.low, content);
  if (range.high != Range::kNoHigh) range.high = FloorQuotient(range.high, content);
  Sym key = NodeOf(*this, std::move(p));
  auto [it, is_new] = ranges_.emplace(key, range);
  if (!is_new) it->second = Intersect(it->second, range);
  const Range now = RangeOf(key);
  if (key->op == SymOp::kSymbol && now.IsPoint()) Replace(key, Integer(now.low), kInResults);
}

void ShapeEnv::LearnEqual(Sym zero) {
  true_.insert(Equal(zero, Integer(0)));
  if (zero->op == SymOp::kMod) LearnMultiple(zero->arguments[0], zero->arguments[1]);
  else if (!TrySolve(zero)) Narrow(zero, Range::Of(0));
}

// What is not 0 at the end of its range is beyond it.
void ShapeEnv::LearnNotEqual(Sym zero) {
  const Range range = RangeOf(zero);
  if (range.low == 0) Narrow(zero, {1, Range::kNoHigh});
  else if (range.high == 0) Narrow(zero, {Range::kNoLow, -1});
}

// A symbol that stands alone and once equals the rest. An unbacked one gives way before a backed one, a later one
// before an earlier.
bool ShapeEnv::TrySolve(Sym zero) {
  const Polynomial p = PolynomialOf(zero);
  Sym best = nullptr;
  int64_t sign = 1;
  for (const auto& [monomial, coefficient] : p.terms) {
    if (monomial->op != SymOp::kSymbol || (coefficient != 1 && coefficient != -1)) continue;
    const bool is_better = !best || monomial->is_unbacked > best->is_unbacked ||
                           (monomial->is_unbacked == best->is_unbacked && monomial->id > best->id);
    if (!is_better) continue;
    const bool stands_once = std::none_of(p.terms.begin(), p.terms.end(),
        [&, m = monomial](const auto& other) { return other.first != m && Contains(other.first, m); });
    if (stands_once) best = monomial, sign = coefficient;
  }
  if (!best) return false;
  // best * sign + rest == 0
  Sym rest = Subtract(zero, Scale(best, sign));
  Sym value = Scale(rest, -sign);
  // A size that depends on data does not take the place of one that does not.
  if (value->is_unbacked && !best->is_unbacked) return false;
  Narrow(value, RangeOf(best));
  // What data made is not put in for it: it may not be known yet where this one is used.
  // Source: _maybe_guard_rel ("time travel").
  if (!value->is_unbacked) Replace(best, value, kInResults);
  else if (Sym by = Substitute(value, kInErrors); !Contains(by, best)) Replace(best, by, kInErrors);
  return true;
}

// dividend is a multiple of the divisor: a symbol of it becomes divisor * (a hidden one) less the rest, for decisions
// only.
void ShapeEnv::LearnMultiple(Sym dividend, Sym divisor) {
  if (!divisor->IsInteger() || divisor->integer < 1) return;
  const Polynomial p = PolynomialOf(dividend);
  for (const auto& [monomial, coefficient] : p.terms) {
    if (monomial->op != SymOp::kSymbol || (coefficient != 1 && coefficient != -1)) continue;
    Sym rest = Subtract(dividend, Scale(monomial, coefficient));
    if (Contains(rest, monomial)) continue;
    const Range by = Range::Of(divisor->integer);
    // Of the quotients only whole ones count.
    const Range range = {(-FloorDivideRange(-RangeOf(dividend), by)).low, FloorDivideRange(RangeOf(dividend), by).high};
    std::optional<int64_t> hint;
    if (dividend->hint) hint = FloorQuotient(dividend->hint->integer, divisor->integer);
    SymNode hidden;
    hidden.op = SymOp::kSymbol;
    hidden.integer = -1 - next_hidden_;
    hidden.name = "_" + std::to_string(next_hidden_++);
    hidden.is_unbacked = !hint;
    hidden.symbols = monomial->symbols;
    if (hint) hidden.hint = SymNumber::Of(*hint);
    Sym multiple = Intern(std::move(hidden));
    ranges_[multiple] = range;
    equals_[kInResults][multiple] = FloorDivide(dividend, divisor);
    Replace(monomial, Scale(Subtract(Scale(multiple, divisor->integer), rest), coefficient), kInQuestions);
    return;
  }
}

void ShapeEnv::Replace(Sym symbol, Sym by, Reach from) {
  ++epoch_;
  const bool is_hidden = symbol->integer < 0;
  if (from == kInResults && !is_hidden && symbols_[static_cast<size_t>(symbol->integer)].keeps_name)
    from = kInQuestions;
  for (int reach = from; reach < kReaches; ++reach) equals_[reach][symbol] = by;
  replaced_ |= symbol->symbols;
  for (auto& memo : substituted_) memo.clear();
}

Sym ShapeEnv::Simplify(Sym node) { return Substitute(node, kInResults); }

// Without recursion: chains of replacements are as long as a graph has equalities.
Sym ShapeEnv::Substitute(Sym node, Reach where) {
  if (!(node->symbols & replaced_)) return node;
  auto& memo = substituted_[where];
  Replacements& replacements = equals_[where];
  const auto done = [&](Sym n) -> Sym {
    if (!(n->symbols & replaced_)) return n;
    auto it = memo.find(n);
    return it == memo.end() ? nullptr : it->second;
  };
  std::vector<Sym> open{node};
  while (!open.empty()) {
    Sym next = open.back();
    const size_t before = open.size();
    if (done(next)) {
      open.pop_back();
    } else if (next->op == SymOp::kSymbol) {
      auto it = replacements.find(next);
      Sym by = it == replacements.end() ? next : it->second == next ? next : done(it->second);
      if (!by) open.push_back(it->second);
      else memo[next] = it == replacements.end() ? by : it->second = by;
    } else {
      std::vector<Sym> arguments;
      for (Sym argument : next->arguments) {
        arguments.push_back(done(argument));
        if (!arguments.back()) open.push_back(argument);
      }
      if (open.size() == before) memo[next] = arguments == next->arguments ? next : Rebuild(next, arguments);
    }
  }
  return done(node);
}

// The operation on other arguments, simplified anew.
Sym ShapeEnv::Rebuild(Sym node, const std::vector<Sym>& a) {
  auto fold = [&](Sym (*combine)(Sym, Sym)) {
    Sym out = a[0];
    for (size_t i = 1; i < a.size(); ++i) out = combine(out, a[i]);
    return out;
  };
  switch (node->op) {
    case SymOp::kSum: {
      Sym sum = Integer(node->integer);
      for (size_t i = 0; i < a.size(); ++i) sum = Add(sum, Scale(a[i], node->coefficients[i]));
      return sum;
    }
    case SymOp::kProduct: {
      Sym product = Integer(1);
      for (size_t i = 0; i < a.size(); ++i) product = Multiply(product, Power(a[i], Integer(node->coefficients[i])));
      return product;
    }
    case SymOp::kFloorDiv: return FloorDivide(a[0], a[1]);
    case SymOp::kMod: return Modulo(a[0], a[1]);
    case SymOp::kMin: return fold(Minimum);
    case SymOp::kMax: return fold(Maximum);
    case SymOp::kWhere: return Where(a[0], a[1], a[2]);
    case SymOp::kPow: return Power(a[0], a[1]);
    case SymOp::kToFloat: return ToFloat(a[0]);
    case SymOp::kTruncToInt:
    case SymOp::kFloorToInt:
    case SymOp::kCeilToInt:
    case SymOp::kRoundToInt: return RoundWith(node->op, a[0]);
    case SymOp::kFloatAdd:
    case SymOp::kFloatMul:
    case SymOp::kFloatDiv:
    case SymOp::kFloatPow: return FloatArithmetic(node->op, a[0], a[1]);
    case SymOp::kFunction: return ApplyFunction(node->name, a[0]);
    case SymOp::kEqualZero: return Equal(a[0], Integer(0));
    case SymOp::kAtMostZero: return AtMost(a[0], Integer(0));
    case SymOp::kFloatEqual: return Equal(a[0], a[1]);
    case SymOp::kFloatLess: return Less(a[0], a[1]);
    case SymOp::kFloatAtMost: return AtMost(a[0], a[1]);
    case SymOp::kAnd: return fold(And);
    case SymOp::kOr: return fold(Or);
    case SymOp::kNot: return Not(a[0]);
    default: return node;
  }
}

}  // namespace fakeprop
