// Reads the elements of a tensor input, if the spec gives them.
#pragma once

#include "lib/inputs/spec.h"
#include "lib/meta/objects.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop {

// Reads lists nested as the tensor's shape is, or one list of all elements in row-major order, or a number for a tensor
// of rank 0. Throws SpecError if the lists do not fit the shape or an element does not fit the dtype.
Constant ReadTensorValue(JsonValue json, const std::vector<int64_t>& shape, ScalarType dtype);

// Reads one element of the dtype. A complex number is written as a number or as [re, im].
Value ReadElement(JsonValue json, ScalarType dtype);

}  // namespace fakeprop
