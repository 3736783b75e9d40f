// Bounds of sums, closer than those of their terms one by one.
#pragma once

#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/range.h"

namespace fakeprop {

class KnownRanges;

// Bounds the sum by how far each atom is from an end of its range. As a polynomial in these distances, the sum is least
// at the ends if no coefficient is negative. This finds that s0*s1 - s1 - 1 is positive if both symbols are 2 or more.
// Returns the range of all integers if the sum has over 6 atoms, powers over 8, or over 256 terms.
Range BoundByShifting(KnownRanges& ranges, const Polynomial& sum);

// Bounds the sum by its floor divisions: each is within 1 of the exact quotient. This finds that s0 - s0//2 is 0 or
// more if s0 is. Returns the range of all integers if the sum has no floor division.
Range BoundByQuotients(KnownRanges& ranges, const Polynomial& sum);

// Takes factors out of a comparison with 0 that all terms have and that are known to be positive (in an equality: not
// 0). Also looks into Not. s0*s2 == 12*s2 becomes s0 == 12 if s2 is 1 or more. Other conditions are returned as they
// are.
Sym CancelFactors(KnownRanges& ranges, Sym condition);

}  // namespace fakeprop
