// Arithmetic of traced code on sizes, which goes through tensors of one element.
#pragma once

#include <optional>
#include <span>

#include "lib/meta/value.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// What the operators that tracing makes of Python's on x.size(0) (+ - * / // % ** and comparisons), conversions, and
// max, min, sum and prod over a small tensor give, where the elements of their arguments are known. Asked before the
// call, as in-place operators forget what they write over; nothing for other calls.
std::optional<double> FoldedNumber(const Schema& schema, std::span<const Value* const> arguments);

// Gives a result the elements that follow from those known of the arguments: that number to a 0-dim tensor, or a part
// of a list of known elements (x[1], x[-2:]).
void KeepKnown(
    const Schema& schema, std::span<const Value* const> arguments, std::optional<double> number, const Value& result);

}  // namespace fakeprop
