// Composites whose last step is a view of what they computed before: for autograd their results are views of a tensor
// that nobody else sees (avg_pool1d squeezes the result of avg_pool2d).
#pragma once

#include <span>

#include "lib/meta/objects.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// Whether the result of a call is such a view.
using EndsInView = bool (*)(const Schema& schema, std::span<const Value* const> arguments, const Tensor& result);

// Null for operators that give no such results.
EndsInView FindEndsInView(const Schema& schema);

}  // namespace fakeprop
