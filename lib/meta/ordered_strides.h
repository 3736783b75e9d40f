// Strides of dense tensors whose dimensions lie in memory in a given order.
#pragma once

#include "lib/meta/tensor_meta.h"

namespace fakeprop {

// What a dimension without elements does to the strides of those outside of it.
enum class EmptyDims {
  kCountAsOne,  // as TensorImpl's own contiguous strides
  kMakeZeros,   // a plain product of the sizes
};

// Strides of dense dimensions that lie in `order`, a range of dimensions, innermost first.
template <typename Order>
Dims StridesInOrder(DimSpan sizes, const Order& order, EmptyDims empty = EmptyDims::kCountAsOne) {
  Dims strides(sizes.size());
  Dim step = 1;
  for (const auto dim : order) {
    const auto d = static_cast<size_t>(dim);
    strides[d] = step;
    step *= empty == EmptyDims::kCountAsOne ? Max(sizes[d], 1) : sizes[d];
  }
  return strides;
}

}  // namespace fakeprop
