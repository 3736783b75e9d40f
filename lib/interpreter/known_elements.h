// Known elements of small tensors: handed on by operators that keep every element and their order.
#pragma once

#include <span>

#include "lib/meta/value.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// Gives the result the known elements of the first argument where the operator only copies, reshapes or casts it.
void PassConstant(const Schema& schema, std::span<const Value* const> arguments, const Value& result);

}  // namespace fakeprop
