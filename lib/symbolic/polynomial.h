// An integer expression as constant + sum of coefficient * monomial.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/symbolic/node.h"

namespace fakeprop {

struct Polynomial {
  using Term = std::pair<Sym, int64_t>;
  int64_t constant = 0;
  std::vector<Term> terms;  // in the order of the monomials' ids; no coefficient is 0
};

Polynomial PolynomialOf(Sym node);
Sym NodeOf(ExpressionArena& arena, Polynomial polynomial);

// A monomial as a product of factor ** exponent, in the order of the factors' ids.
using Factors = std::vector<std::pair<Sym, int64_t>>;
Factors FactorsOf(Sym monomial);
// Merges equal factors first; they need no order. Throws an OpError of class Overflow if an exponent leaves 64 bits.
Sym MonomialOf(ExpressionArena& arena, Factors factors);
// The monomial a / b; null if not every factor of b is in a.
Sym TryDivideMonomial(Sym a, Sym b);

// Returns true if the node `part` is somewhere in the expression.
bool Contains(Sym node, Sym part);

// The greatest common divisor of the coefficients; 0 if there are none. 1 if it would leave 64 bits.
int64_t ContentOf(const Polynomial& p);

// These throw an OpError of class Overflow if the result leaves 64 bits.
int64_t CheckedAdd(int64_t a, int64_t b);
int64_t CheckedMultiply(int64_t a, int64_t b);
// Rounded down; b is not 0.
int64_t FloorQuotient(int64_t a, int64_t b);

}  // namespace fakeprop
