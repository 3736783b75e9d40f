// Known elements of small tensors: handed on by operators that keep every element and their order.
#pragma once

#include <span>

#include "lib/meta/value.h"

namespace fakeprop {

// Gives the result the known elements of the first argument: of an operator with Elements::kKept.
void PassConstant(std::span<const Value* const> arguments, const Value& result);

}  // namespace fakeprop
