// Metadata of views: a part, a permutation or an expansion of a tensor, on the same storage; and of the views and
// copies that composite operators make on their way. Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#pragma once

#include <optional>
#include <span>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// At least so many dimensions of the first argument.
void RequireDimensions(const Call& call, int64_t rank);

TensorMeta WithLayout(const TensorMeta& t, Dims sizes, Dims strides);

// Dimensions are counted from either end and must exist.
TensorMeta Permuted(const TensorMeta& t, std::span<const int64_t> order);
TensorMeta Transposed(TensorMeta t, int64_t a, int64_t b);
TensorMeta Unsqueezed(TensorMeta t, int64_t dim);
TensorMeta Squeezed(TensorMeta t, int64_t dim);  // nothing changes where the size is not 1
// t.expand(sizes): -1 keeps a size.
TensorMeta Expanded(const TensorMeta& t, DimSpan sizes);
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

// The view of t in `shape`, which may have one -1; strides that forbid one are an OpError of class ViewError.
// Sizes that hold t's elements only because of a guard are written over t's: [5, 5, 5] of [s0, 5] is [5, (s0//5), 5].
// Source: _reshape_view_helper in torch/_refs/__init__.py (torch 2.13).
TensorMeta ViewedMeta(const TensorMeta& t, DimSpan shape);
// The same of a dense copy of t.
TensorMeta ReshapedCopyMeta(const TensorMeta& t, DimSpan shape);
// What reshape gives: a view where t's strides allow one, else a dense copy.
Output ReshapedOutput(Tensor& t, DimSpan shape);
Output ViewOutput(Tensor& of, TensorMeta meta);
Output NewOutput(TensorMeta meta);
Output ArgumentOutput(Tensor& argument);
// Shares the storage and requires grad as its source does, but is no view to autograd (_unsafe_view, unsafe_split).
Output UntrackedViewOutput(const Call& call, Tensor& of, TensorMeta meta);

// ---- what composite operators make on their way and nobody else sees

// t as an operand that is broadcast to these sizes, all of them given: repeated dimensions have stride 0.
TensorMeta BroadcastTo(const TensorMeta& t, DimSpan sizes);
// t.reshape(sizes), without -1: a view where t's strides allow one, else a contiguous copy.
TensorMeta Reshaped(const TensorMeta& t, DimSpan sizes);
// empty_like(t, format): dense, in t's own order of dimensions for Preserve.
TensorMeta EmptyLike(const TensorMeta& t, MemoryFormat format = MemoryFormat::Preserve);
// t.contiguous(format): t itself where it has that layout.
TensorMeta InFormat(const TensorMeta& t, MemoryFormat format);
TensorMeta WithDtype(TensorMeta t, ScalarType dtype);

// ---- results

Output& Return(Call& call, Output output);
void ReturnList(Call& call, std::vector<Output> items);

}  // namespace fakeprop::rules
