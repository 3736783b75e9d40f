// Sums, products and quotients of metas, for composite operators that compute with tensors on their way.
// Source: at::native::result_type, BinaryOps (torch 2.13).
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// The dtype of a result over these: 0-dim tensors count less than others (at::native::result_type of a list).
ScalarType CommonDtype(const std::vector<TensorMeta>& metas);

// a + b, a * b: promoted and broadcast, laid out as TensorIterator lays out its output; on the call's device.
TensorMeta Combined(const Call& call, const TensorMeta& a, const TensorMeta& b);
// a - b, which bool tensors do not: an OpError of class DtypeMismatch.
TensorMeta Difference(const Call& call, const TensorMeta& a, const TensorMeta& b);
// a / b: integers divide in the default dtype.
TensorMeta Quotient(const Call& call, const TensorMeta& a, const TensorMeta& b);
// t with a float for the other operand: integers become the default dtype.
TensorMeta WithFloat(const Call& call, const TensorMeta& t);

}  // namespace fakeprop::rules
