// Sums, products and quotients of metas, for the intermediate results of composite operators. Source:
// at::native::result_type, BinaryOps (torch 2.13).
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// The dtype of a result over these tensors. 0-dim tensors count less than others (at::native::result_type of a list).
ScalarType CommonDtype(const std::vector<TensorMeta>& metas);

// a + b or a * b: promoted, broadcast, with the layout of TensorIterator's output, on the call's device.
TensorMeta Combined(const Call& call, const TensorMeta& a, const TensorMeta& b);
// a - b. Throws an OpError of class DtypeMismatch for bool tensors.
TensorMeta Difference(const Call& call, const TensorMeta& a, const TensorMeta& b);
// a / b. Integers divide in the default dtype.
TensorMeta Quotient(const Call& call, const TensorMeta& a, const TensorMeta& b);
// The result of t and a float: integers become the default dtype.
TensorMeta WithFloat(const Call& call, const TensorMeta& t);

}  // namespace fakeprop::rules
