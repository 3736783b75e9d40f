// Elements of a tensor that share memory.
#pragma once

#include "lib/meta/tensor_meta.h"
#include "lib/value_ranges/value_range.h"

namespace fakeprop {

// Returns true if it is shown that no two elements of the tensor share memory. What a call writes to others is unknown:
// an element may get what was meant for another one.
bool IsWithoutOverlap(const TensorMeta& t, const RangeMath& math);

}  // namespace fakeprop
