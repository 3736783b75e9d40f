// Bounds of floats.
#pragma once

#include <cmath>

#include "lib/symbolic/node.h"

namespace fakeprop {

class KnownRanges;

// From low to high, both included. It says nothing about NaN.
struct RealRange {
  double low = -INFINITY, high = INFINITY;
};

// Where an integer or a float lies, from the ranges of what it is made of.
RealRange RealRangeOf(KnownRanges& ranges, Sym node);

// x as kTruncToInt, kFloorToInt, kCeilToInt or kRoundToInt rounds it. Rounding keeps order: the rounded ends of a range
// are the ends of what is rounded.
double Rounded(SymOp op, double x);

}  // namespace fakeprop
