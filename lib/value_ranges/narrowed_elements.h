// Elements that a mask chooses, where the mask says something of them: of `where(n < 8, n, f(n))` the elements of f(n)
// count at those places alone where n is 8 or more.
#pragma once

#include <string_view>

#include "lib/value_ranges/range_call.h"

namespace fakeprop {

// The range of the elements of an argument at the places where a mask is true, or where it is false. It is narrower
// than that of all elements if the mask compares a tensor with a number, and the argument is that tensor or was
// computed from it element by element, be it in between as floats.
ValueRange RangeWhere(const RangeCall& call, ArgumentName argument, ArgumentName mask, bool is_true);

}  // namespace fakeprop
