#include "lib/symbolic/facts.h"

#include <algorithm>

#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/symbol_table.h"

namespace fakeprop {

Sym Facts::Learn(Sym condition) {
  Sym fact = Substitute(condition, Reach::kQuestions);
  if (const std::optional<bool> known = Decide(fact)) return *known ? nullptr : condition;
  ranges_.Expire();
  learned_.push_back(condition);
  if (fact->op == SymOp::kAnd) return LearnParts(fact);
  if (fact->op == SymOp::kEqualZero) LearnEqual(fact->arguments[0]);
  else if (fact->op == SymOp::kAtMostZero) Narrow(fact->arguments[0], {Range::kNoLow, 0});
  else conditions_.Add(fact);
  if (fact->op == SymOp::kNot && fact->arguments[0]->op == SymOp::kEqualZero)
    LearnNotEqual(fact->arguments[0]->arguments[0]);
  return nullptr;
}

Sym Facts::LearnParts(Sym conjunction) {
  for (Sym part : conjunction->arguments)
    if (Sym contradicting = Learn(part)) return contradicting;
  return nullptr;
}

void Facts::Narrow(Sym node, Range range) {
  Sym narrowed = ranges_.Narrow(node, range);
  if (!narrowed) return;
  const Range now = ranges_.RangeOf(narrowed);
  if (narrowed->op == SymOp::kSymbol && now.IsPoint()) Replace(narrowed, arena_.Integer(now.low), Reach::kResults);
}

void Facts::LearnEqual(Sym zero) {
  conditions_.Add(Equal(zero, arena_.Integer(0)));
  if (zero->op == SymOp::kMod) LearnMultiple(zero->arguments[0], zero->arguments[1]);
  else if (!TrySolve(zero)) Narrow(zero, Range::Of(0));
}

// If 0 is an end of the range, the range becomes shorter by 0.
void Facts::LearnNotEqual(Sym zero) {
  const Range range = ranges_.RangeOf(zero);
  if (range.low == 0) Narrow(zero, {1, Range::kNoHigh});
  else if (range.high == 0) Narrow(zero, {Range::kNoLow, -1});
}

// Solves for a symbol that occurs once, as a term of its own: it equals the rest. Prefers an unbacked symbol to a
// backed one, and a later symbol to an earlier one.
bool Facts::TrySolve(Sym zero) {
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
  Narrow(value, ranges_.RangeOf(best));
  // A symbol made by data is not put in for this one, since it may not be known yet at a place that uses this one.
  // Source: _maybe_guard_rel ("time travel").
  if (!value->is_unbacked) Replace(best, value, Reach::kResults);
  else if (Sym by = Substitute(value, Reach::kErrors); !Contains(by, best)) Replace(best, by, Reach::kErrors);
  return true;
}

// dividend is a multiple of the divisor: a symbol of it becomes divisor * (a hidden one) less the rest, for decisions
// only.
void Facts::LearnMultiple(Sym dividend, Sym divisor) {
  if (!divisor->IsInteger() || divisor->integer < 1) return;
  const Polynomial p = PolynomialOf(dividend);
  for (const auto& [monomial, coefficient] : p.terms) {
    if (monomial->op != SymOp::kSymbol || (coefficient != 1 && coefficient != -1)) continue;
    Sym rest = Subtract(dividend, Scale(monomial, coefficient));
    if (Contains(rest, monomial)) continue;
    Sym multiple = HideQuotient(dividend, divisor, monomial->symbols);
    Replace(monomial, Scale(Subtract(Scale(multiple, divisor->integer), rest), coefficient), Reach::kQuestions);
    return;
  }
}

// A hidden symbol for dividend // divisor, which leaves no remainder. It has the bits of a symbol of the dividend.
Sym Facts::HideQuotient(Sym dividend, Sym divisor, uint64_t bits) {
  const Range by = Range::Of(divisor->integer), range = ranges_.RangeOf(dividend);
  // Only whole quotients count.
  const Range quotients = {(-FloorDivideRange(-range, by)).low, FloorDivideRange(range, by).high};
  std::optional<int64_t> hint;
  if (dividend->hint) hint = FloorQuotient(dividend->hint->integer, divisor->integer);
  const int64_t index = -1 - next_hidden_;
  Sym hidden = arena_.Symbol("_" + std::to_string(next_hidden_++), SymType::kInt, hint, index, bits);
  ranges_.DeclareHidden(hidden, quotients);
  equalities_.Replace(hidden, FloorDivide(dividend, divisor), Reach::kResults, Reach::kResults);
  return hidden;
}

// Hidden symbols and symbols made by data can lead back to the symbol. Then it is not replaced.
void Facts::Replace(Sym symbol, Sym by, Reach first) {
  const bool is_hidden = symbol->integer < 0;
  if (first == Reach::kResults && !is_hidden && symbols_.InfoOf(symbol).keeps_name) first = Reach::kQuestions;
  if (next_hidden_ == 0 && !by->is_unbacked) return equalities_.Replace(symbol, by, first);
  for (Reach reach : {Reach::kResults, Reach::kQuestions, Reach::kErrors})
    if (reach >= first && !equalities_.LeadsTo(by, symbol, reach)) equalities_.Replace(symbol, by, reach, reach);
}

}  // namespace fakeprop
