// Operations on a list of arguments of any type. The functions of SymPy and of Python are made of these.
//
// Among floats, an integer becomes a float. Among integers, a bool becomes 0 or 1. Where a condition is needed, a
// number becomes "it is not 0". All throw the OpErrors that the functions of node.h throw. Sources:
// torch/utils/_sympy/functions.py, magic methods of torch/fx/experimental/sym_node.py (torch 2.13).
#pragma once

#include <span>

#include "lib/symbolic/node.h"

namespace fakeprop::calls {

using Arguments = std::span<const Sym>;

bool AnyFloat(Arguments a);
// A bool becomes 0 or 1; other types stay.
Sym AsInt(Sym s);
// A number becomes the condition that it is not 0.
Sym AsCondition(Sym s);

// ---- of one argument or more
Sym Sum(Arguments a);
Sym Product(Arguments a);
Sym Largest(Arguments a);
Sym Smallest(Arguments a);
Sym All(Arguments a);
Sym Any(Arguments a);

// ---- of two arguments
Sym Difference(Arguments a);
// True division: a float.
Sym Quotient(Arguments a);
// Rounded down; a float if an argument is one.
Sym FloorQuotient(Arguments a);
// x - floor(x / y) * y, as Python's %.
Sym Remainder(Arguments a);
// A float if an argument is one, or if the exponent is a negative constant.
Sym PowerOf(Arguments a);
Sym IsEqual(Arguments a);
Sym IsNotEqual(Arguments a);
Sym IsLess(Arguments a);
Sym IsAtMost(Arguments a);
Sym IsGreater(Arguments a);
Sym IsAtLeast(Arguments a);

// ---- of one argument
// The argument, but a bool becomes 0 or 1.
Sym Same(Arguments a);
Sym Negative(Arguments a);
Sym Absolute(Arguments a);
Sym Negation(Arguments a);
Sym AsFloat(Arguments a);
template <SymOp op>
Sym Round(Arguments a) {
  return a[0]->type == SymType::kFloat ? RoundWith(op, a[0]) : AsInt(a[0]);
}

// ---- of three arguments
// The second if the first, a condition, holds, else the third.
Sym Choose(Arguments a);

}  // namespace fakeprop::calls
