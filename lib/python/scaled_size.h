// A size times a factor, where Python's code asks for int(size * factor).
#pragma once

#include "lib/python/python.h"

namespace fakeprop {

// The whole part of the product; an expression where the size is one. A product without one is an OpError of class
// Overflow.
Value ScaledSize(Python& python, Dim size, const Value& factor);

}  // namespace fakeprop
