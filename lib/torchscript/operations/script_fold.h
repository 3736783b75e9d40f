// Arithmetic on sizes in traced code, which uses tensors of one element.
#pragma once

#include <optional>
#include <span>

#include "lib/meta/value.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// Computes the result of the operators that tracing makes of Python's operators on x.size(0) (+ - * / // % ** and
// comparisons), of conversions, and of max, min, sum and prod over a small tensor, if the elements of the arguments are
// known. Nothing for other calls. Call it before the operator runs, since an in-place operator forgets the elements
// that it overwrites.
std::optional<double> FoldedNumber(const Schema& schema, std::span<const Value* const> arguments);

// Gives a result the elements that follow from the known elements of the arguments: that number for a 0-dim tensor,
// or a part of a list of known elements (x[1], x[-2:]), or the list in order (sort).
void KeepKnown(
    const Schema& schema, std::span<const Value* const> arguments, std::optional<double> number, const Value& result);

}  // namespace fakeprop
