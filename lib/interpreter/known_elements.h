// Known elements of small tensors. Operators that keep all elements and their order pass them on.
#pragma once

#include <span>

#include "lib/meta/value.h"

namespace fakeprop {

// Gives the result the known elements of the first argument. The operator must have Elements::kKept.
void PassConstant(std::span<const Value* const> arguments, const Value& result);

}  // namespace fakeprop
