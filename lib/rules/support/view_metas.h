// Metadata of views of a whole tensor: dimensions in another order, dimensions of size 1, repeated dimensions. Source:
// aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#pragma once

#include <span>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

TensorMeta WithLayout(const TensorMeta& t, Dims sizes, Dims strides);

// Dimensions are counted from either end and must exist.
TensorMeta Permuted(const TensorMeta& t, std::span<const int64_t> order);
TensorMeta Transposed(TensorMeta t, int64_t a, int64_t b);
TensorMeta Unsqueezed(TensorMeta t, int64_t dim);
TensorMeta Squeezed(TensorMeta t, int64_t dim);  // nothing changes if the size is not 1
// t.expand(sizes): -1 keeps a size.
TensorMeta Expanded(const TensorMeta& t, DimSpan sizes);
// t broadcast to these sizes, without -1. Repeated dimensions have stride 0.
TensorMeta BroadcastTo(const TensorMeta& t, DimSpan sizes);

}  // namespace fakeprop::rules
