// Metadata of views of a part of a tensor: slices, single indices, diagonals, windows into the storage.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#pragma once

#include <optional>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// Dimensions are counted from either end and must exist.

// t[..., start:end:step, ...] with Python's clamping.
TensorMeta SlicedMeta(const TensorMeta& t, int64_t dim, std::optional<Dim> start, std::optional<Dim> end, Dim step);
// `length` elements from `start` on, which must all exist.
TensorMeta NarrowedMeta(const TensorMeta& t, int64_t dim, Dim start, Dim length);
TensorMeta SelectedMeta(const TensorMeta& t, int64_t dim, Dim index);
TensorMeta DiagonalMeta(const TensorMeta& t, Dim offset, int64_t dim1, int64_t dim2);
// `t` with another layout. Does not check the size of the storage. Sizes, strides and offset must be at least 0.
TensorMeta WindowMeta(const TensorMeta& t, Dims sizes, Dims strides, std::optional<Dim> offset);
// The same, but checks that the storage has room for it.
TensorMeta StridedMeta(const Tensor& t, Dims sizes, Dims strides, std::optional<Dim> offset);

}  // namespace fakeprop::rules
