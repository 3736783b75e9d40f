// Metas of the tensors that a composite operator makes on its way: views and copies that nobody else sees.
// Source: the functions of the same names in aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#pragma once

#include <span>

#include "lib/meta/tensor_meta.h"

namespace fakeprop {

// Dimensions are counted from either end and must exist.
TensorMeta Transposed(TensorMeta t, int64_t a, int64_t b);
TensorMeta Permuted(const TensorMeta& t, std::span<const int64_t> order);
TensorMeta Unsqueezed(TensorMeta t, int64_t dim);
TensorMeta Squeezed(TensorMeta t, int64_t dim);  // nothing changes where the size is not 1
// t.expand(sizes), without -1; sizes that t cannot take are an OpError of class ShapeMismatch.
TensorMeta Expanded(const TensorMeta& t, DimSpan sizes);
// t.reshape(sizes), without -1: a view where t's strides allow one, else a contiguous copy.
TensorMeta Reshaped(const TensorMeta& t, DimSpan sizes);
// empty_like(t, format): dense, in t's own order of dimensions for Preserve.
TensorMeta EmptyLike(const TensorMeta& t, MemoryFormat format = MemoryFormat::Preserve);
// t.contiguous(format): t itself where it has that layout.
TensorMeta InFormat(const TensorMeta& t, MemoryFormat format);
TensorMeta WithDtype(TensorMeta t, ScalarType dtype);

}  // namespace fakeprop
