// A size times a factor, for int(size * factor) in Python's code.
#pragma once

#include "lib/python/python.h"

namespace fakeprop {

// The whole part of the product; an expression if the size is one. Throws an OpError of class Overflow if there is
// none.
Value ScaledSize(Python& python, Dim size, const Value& factor);

}  // namespace fakeprop
