// An integer expression as constant + sum of coefficient * monomial, sorted by monomial.
#pragma once

#include <utility>

#include "lib/symbolic/node.h"

namespace fakeprop {

struct Polynomial {
  using Term = std::pair<Sym, int64_t>;
  int64_t constant = 0;
  std::vector<Term> terms;  // by the id of the monomial; no coefficient is 0
};

Polynomial PolynomialOf(Sym node);
Sym NodeOf(ShapeEnv& env, Polynomial polynomial);

// A monomial as factor ** exponent, sorted by factor.
using Factors = std::vector<std::pair<Sym, int64_t>>;
Factors FactorsOf(Sym monomial);
Sym MonomialOf(ShapeEnv& env, Factors factors);
// a / b where every factor of b is in a; else nothing.
Sym TryDivideMonomial(Sym a, Sym b);

// Whether a symbol or monomial stands somewhere in an expression.
bool Contains(Sym node, Sym part);

// The greatest common divisor of the coefficients; 0 of a constant.
int64_t ContentOf(const Polynomial& p);

// Checked arithmetic: an OpError of class Overflow.
int64_t CheckedAdd(int64_t a, int64_t b);
int64_t CheckedMultiply(int64_t a, int64_t b);
int64_t FloorQuotient(int64_t a, int64_t b);

}  // namespace fakeprop
