// Numbers of a call as expressions over symbols.
#pragma once

#include "lib/meta/value.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::rules {

// The expression of an integer, float or bool over symbols; null for any other value.
Sym ExpressionOf(const Value& value);

// A number as an expression of `env`. Null if the value is not a real number.
Sym NodeOf(const Value& value, ShapeEnv& env);

}  // namespace fakeprop::rules
