// Intervals of real numbers, for floats that are computed from integers and become integers again.
#pragma once

#include <optional>
#include <string_view>

#include "lib/meta/scalar_type.h"

namespace fakeprop {

struct RealInterval {
  double low = 0, high = 0;
};

RealInterval SmallerOf(const RealInterval& a, const RealInterval& b);
RealInterval LargerOf(const RealInterval& a, const RealInterval& b);

// Operators that work element by element, on numbers without rounding. Nothing where a result may be no finite number.
using RealFunction = std::optional<RealInterval> (*)(const RealInterval& x);
using RealOperation = std::optional<RealInterval> (*)(const RealInterval& a, const RealInterval& b);
// By the name of an operator without "aten::" and overload; null if it is none of these.
RealFunction FindRealFunction(std::string_view op);
RealOperation FindRealOperation(std::string_view op);

// The numbers of a dtype that a kernel may return for numbers of the interval: floats are taken to be at most four
// units in the last place off, and casts to integers drop the fraction. Nothing if the dtype cannot hold them, or is
// complex.
std::optional<RealInterval> RoundedTo(const RealInterval& exact, ScalarType dtype);

}  // namespace fakeprop
