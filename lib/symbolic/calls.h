// Operations on expressions by a list of arguments, of any type: what the functions of SymPy and of Python come down
// to.
//
// Integers among floats become floats, bools among integers 0 and 1, numbers among conditions "not zero".
// Sources: torch/utils/_sympy/functions.py, magic methods of torch/fx/experimental/sym_node.py (torch 2.13).
#pragma once

#include <span>

#include "lib/symbolic/node.h"

namespace fakeprop::calls {

using Arguments = std::span<const Sym>;

bool AnyFloat(Arguments a);
Sym AsInt(Sym s);
Sym AsCondition(Sym s);

// ---- of any number of arguments from one on
Sym Sum(Arguments a);
Sym Product(Arguments a);
Sym Largest(Arguments a);
Sym Smallest(Arguments a);
Sym All(Arguments a);
Sym Any(Arguments a);

// ---- of two
Sym Difference(Arguments a);
Sym Quotient(Arguments a);
// Rounded down; of floats a float again.
Sym FloorQuotient(Arguments a);
// x - floor(x / y) * y.
Sym Remainder(Arguments a);
// To a negative constant a float.
Sym PowerOf(Arguments a);
Sym IsEqual(Arguments a);
Sym IsNotEqual(Arguments a);
Sym IsLess(Arguments a);
Sym IsAtMost(Arguments a);
Sym IsGreater(Arguments a);
Sym IsAtLeast(Arguments a);

// ---- of one
Sym Same(Arguments a);
Sym Negative(Arguments a);
Sym Absolute(Arguments a);
Sym Negation(Arguments a);
Sym AsFloat(Arguments a);
template <SymOp op>
Sym Round(Arguments a) {
  return a[0]->type == SymType::kFloat ? RoundWith(op, a[0]) : AsInt(a[0]);
}

// A condition, and what to take where it holds and where it does not.
Sym Choose(Arguments a);

}  // namespace fakeprop::calls
