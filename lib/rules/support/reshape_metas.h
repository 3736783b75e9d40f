// Metadata of tensors in another shape: view, reshape, and the copies that reshape makes.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// The view of t in `shape`, which may have one -1. Throws an OpError of class ViewError if t's strides do not allow a
// view. If only a guard says that the sizes have as many elements as t, they are written in terms of t's sizes: [5, 5,
// 5] of [s0, 5] is [5, (s0//5), 5]. Source: _reshape_view_helper in torch/_refs/__init__.py (torch 2.13).
TensorMeta ViewedMeta(const TensorMeta& t, DimSpan shape);
// The same for a dense copy of t.
TensorMeta ReshapedCopyMeta(const TensorMeta& t, DimSpan shape);
// The result of reshape: a view if t's strides allow one, else a dense copy.
Output ReshapedOutput(Tensor& t, DimSpan shape);

// t.reshape(sizes), without -1, for intermediate results of composite operators: a view if t's strides allow one, else
// a contiguous copy.
TensorMeta Reshaped(const TensorMeta& t, DimSpan sizes);

}  // namespace fakeprop::rules
