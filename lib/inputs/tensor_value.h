// The known elements of a tensor input.
#pragma once

#include "lib/inputs/spec.h"
#include "lib/meta/objects.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop {

// Reads nested lists as deep as the tensor's rank, or a flat list of all elements in row-major order; a number for a
// tensor of rank 0. Throws SpecError where the lists do not fit the shape or an element does not fit the dtype.
Constant ReadTensorValue(JsonValue json, const std::vector<int64_t>& shape, ScalarType dtype);

// Reads one element as a value of the dtype. A complex number is a number or [re, im].
Value ReadElement(JsonValue json, ScalarType dtype);

}  // namespace fakeprop
