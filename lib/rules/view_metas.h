// What views are made of: the metadata of a part, a permutation or an expansion of a tensor, on the same storage.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#pragma once

#include <optional>
#include <span>

#include "lib/rules/call.h"

namespace fakeprop {

// At least so many dimensions of the first argument.
void RequireDimensions(const Call& call, int64_t rank);

TensorMeta WithLayout(const TensorMeta& t, Dims sizes, Dims strides);

TensorMeta PermutedMeta(const TensorMeta& t, std::span<const int64_t> order);
TensorMeta TransposedMeta(const TensorMeta& t, int64_t a, int64_t b);
TensorMeta ExpandedMeta(const TensorMeta& t, DimSpan sizes);
TensorMeta UnsqueezedMeta(const TensorMeta& t, int64_t dim);
// t[..., start:end:step, ...] with Python's clamping.
TensorMeta SlicedMeta(const TensorMeta& t, int64_t dim, std::optional<Dim> start, std::optional<Dim> end, Dim step);
// `length` elements from `start` on, which must all exist.
TensorMeta NarrowedMeta(const TensorMeta& t, int64_t dim, Dim start, Dim length);
TensorMeta SelectedMeta(const TensorMeta& t, int64_t dim, Dim index);
TensorMeta DiagonalMeta(const TensorMeta& t, Dim offset, int64_t dim1, int64_t dim2);
// `t` with another layout, whatever its storage holds; sizes, strides and offset of 0 or more.
TensorMeta WindowMeta(const TensorMeta& t, Dims sizes, Dims strides, std::optional<Dim> offset);
// A window that the storage holds.
TensorMeta StridedMeta(const Tensor& t, Dims sizes, Dims strides, std::optional<Dim> offset);

// The sizes of a view or reshape of t to `shape`, which may have one -1. Where only a guard makes them hold as many elements as t,
// they are written over t's sizes: [5, 5] of a tensor [s0] is [5, (s0//5)].
// Source: _reshape_view_helper in torch/_refs/__init__.py (torch 2.13).
Dims SizesOfView(const TensorMeta& t, DimSpan shape);

// The view of t with these sizes; strides that forbid one are an OpError of class ViewError.
TensorMeta ViewedMeta(const TensorMeta& t, DimSpan sizes);

// What reshape gives for sizes without a -1: a view where t's strides allow one, else a dense copy.
Output ReshapedOutput(Tensor& t, DimSpan sizes);
Output ViewOutput(Tensor& of, TensorMeta meta);
Output NewOutput(TensorMeta meta);
Output ArgumentOutput(Tensor& argument);
// Shares the storage and requires grad as its source does, but is no view to autograd (_unsafe_view, unsafe_split).
Output UntrackedViewOutput(const Call& call, Tensor& of, TensorMeta meta);

Output& Return(Call& call, Output output);
void ReturnList(Call& call, std::vector<Output> items);

}  // namespace fakeprop
