// Arithmetic of traced code on sizes, which goes through tensors of one element.
#pragma once

#include <span>

#include "lib/graph/schema.h"
#include "lib/meta/value.h"

namespace fakeprop {

// Where a result is a 0-dim tensor and every tensor among the arguments is one whose element is known, gives it its
// element, for the operators that tracing makes of Python's on x.size(0): + - * / // % ** and comparisons.
void FoldConstants(const Schema& schema, std::span<const Value* const> arguments, const Value& result);

}  // namespace fakeprop
