// Arithmetic of traced code on sizes, which goes through tensors of one element.
#pragma once

#include <optional>
#include <span>

#include "lib/graph/schema.h"
#include "lib/meta/value.h"

namespace fakeprop {

// What the operators that tracing makes of Python's on x.size(0) (+ - * / // % ** and comparisons) give for a 0-dim tensor
// whose element is known, and a number or another such tensor. Asked before the call, as in-place ones forget what they
// write over; nothing for other calls.
std::optional<double> FoldedNumber(const Schema& schema, std::span<const Value* const> arguments);

// Gives a 0-dim result its element.
void KeepNumber(std::optional<double> number, const Value& result);

}  // namespace fakeprop
