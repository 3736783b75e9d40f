// Bounds of sums, closer than those of their terms one by one, and what a sum's sign does not depend on.
#pragma once

#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/range.h"

namespace fakeprop {

// The sum as a polynomial in how far each atom lies from an end of its range: where no coefficient is negative, its
// value at those ends is the least. Finds that s0*s1 - s1 - 1 is positive where both symbols are 2 or more. No bound
// where the sum has too many atoms or too high powers to be worth it.
Range BoundByShifting(ShapeEnv& env, const Polynomial& sum);

// A floor division by a number lies within 1 of the quotient: the bound of what that leaves. Finds that s0 - s0//2 is 0
// or more where s0 is.
Range BoundByQuotients(ShapeEnv& env, const Polynomial& sum);

// A comparison with 0, or what is not one, without the factors of all its terms that are known to be positive (of an
// equality: not 0): s0*s2 == 12*s2 is s0 == 12 where s2 is 1 or more. Anything else stays.
Sym CancelFactors(ShapeEnv& env, Sym condition);

}  // namespace fakeprop
