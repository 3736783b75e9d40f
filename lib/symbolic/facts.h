// Knowledge about symbols: their ranges, equalities with expressions, and other conditions that hold. All questions are
// answered from here, without hints and without a record.
//
// Source: _maybe_guard_rel, _set_replacement and _refine_ranges in torch/fx/experimental/symbolic_shapes.py
// (torch 2.13).
#pragma once

#include <optional>
#include <vector>

#include "lib/symbolic/equalities.h"
#include "lib/symbolic/known_conditions.h"
#include "lib/symbolic/known_ranges.h"
#include "lib/symbolic/node.h"

namespace fakeprop {

class ExpressionArena;
class SymbolTable;

class Facts {
 public:
  // `symbols` says which symbols keep their name in results.
  Facts(ExpressionArena& arena, const SymbolTable& symbols) : arena_(arena), symbols_(symbols) {}
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // The range of a new symbol.
  void Declare(Sym symbol, Range range) { ranges_.Declare(symbol, range); }

  // The condition holds. Returns null, or the part of it that contradicts what is known; the parts before that one are
  // learned. Throws an OpError of class Overflow if an expression leaves 64 bits or is too large.
  [[nodiscard]] Sym Learn(Sym condition);

  // The answer for all values of the symbols, with the equalities that reach to `where`; nothing if what is known does
  // not decide it.
  std::optional<bool> Answer(Sym condition, Reach where) { return Decide(Substitute(condition, where)); }

  Sym Substitute(Sym node, Reach where) { return equalities_.Substitute(node, where); }
  KnownRanges& ranges() { return ranges_; }
  const KnownConditions& conditions() const { return conditions_; }
  // The conditions that were learned, in order, without those that were known already.
  const std::vector<Sym>& learned() const { return learned_; }

 private:
  // ---- decide.cc
  std::optional<bool> Decide(Sym condition);
  std::optional<bool> DecideFloat(Sym condition);
  std::optional<bool> DecideZero(Sym condition);
  std::optional<bool> FindCondition(Sym condition) const;

  // ---- facts.cc
  Sym LearnParts(Sym conjunction);
  void LearnEqual(Sym zero);
  void LearnNotEqual(Sym zero);
  void Narrow(Sym node, Range range);
  bool TrySolve(Sym zero);
  void LearnMultiple(Sym dividend, Sym divisor);
  Sym HideQuotient(Sym dividend, Sym divisor, uint64_t bits);
  void Replace(Sym symbol, Sym by, Reach first);

  ExpressionArena& arena_;
  const SymbolTable& symbols_;
  KnownConditions conditions_;
  KnownRanges ranges_{conditions_};
  Equalities equalities_;
  std::vector<Sym> learned_;
  int next_hidden_ = 0;
};

}  // namespace fakeprop
