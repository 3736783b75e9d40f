// Where integers lie: the ranges that symbols were declared with, those that facts give to symbols and sums, and what
// follows for other expressions. Source: ShapeEnv._maybe_evaluate_static and bound_sympy in
// torch/fx/experimental/symbolic_shapes.py and torch/utils/_sympy/value_ranges.py (torch 2.13).
#pragma once

#include <unordered_map>

#include "lib/symbolic/known_conditions.h"
#include "lib/symbolic/node.h"
#include "lib/symbolic/range.h"

namespace fakeprop {

struct Polynomial;

class KnownRanges {
 public:
  // `conditions` tells which divisions leave no remainder. Call Expire after it has changed.
  explicit KnownRanges(const KnownConditions& conditions) : conditions_(conditions) {}
  KnownRanges(const KnownRanges&) = delete;
  KnownRanges& operator=(const KnownRanges&) = delete;

  // The range of a new symbol.
  void Declare(Sym symbol, Range range);
  // The range of a new hidden symbol, which stands for a quotient (Facts).
  void DeclareHidden(Sym symbol, Range range);

  // The integer lies in the range. What that says about its terms, without the constant, is kept. Returns the sum of
  // these terms, divided by what their coefficients have in common; null if there are none.
  Sym Narrow(Sym node, Range range);

  // The range of an integer. It is remembered in the node until something new is known.
  Range RangeOf(Sym node) {
    if (node->IsInteger()) return Range::Of(node->integer);
    if (node->range_epoch == epoch_) return {node->low, node->high};
    return Compute(node);
  }

  // Forgets the ranges that nodes remember.
  void Expire() { ++epoch_; }

  const KnownConditions& conditions() const { return conditions_; }

 private:
  Range Compute(Sym node);
  Range RangeOfSum(Sym node);
  Range RangeOfTerms(Sym node, Range range, Polynomial linear);
  Range RangeOfOperation(Sym node);

  const KnownConditions& conditions_;
  std::unordered_map<Sym, Range> ranges_;  // of symbols, and of sums without a constant
  size_t declared_ = 0;                    // how many of them are of symbols that are not hidden
  uint32_t epoch_ = 1;                     // grows with all that is learned
};

}  // namespace fakeprop
