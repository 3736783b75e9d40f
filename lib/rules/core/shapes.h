// Sizes and dimensions, for all families. Errors are OpErrors in PyTorch's terms.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// A dimension that is counted from either end, as an index into `rank` dimensions. A 0-dim tensor takes -1 and 0.
// Source: c10::maybe_wrap_dim (torch 2.13).
int64_t WrapDim(int64_t dim, int64_t rank);
// The same for a list, whose order is kept. A dimension that is named twice is an error.
std::vector<int64_t> WrapDims(std::span<const int64_t> dims, int64_t rank);
// The same as flags for each dimension. An empty or missing list means all dimensions (at::dim_list_to_bitset).
std::vector<bool> DimMask(std::span<const int64_t> dims, int64_t rank);

// The common shape of operands under broadcasting. Source: at::infer_size.
Dims BroadcastSizes(DimSpan a, DimSpan b);
// Returns true if `from` can be expanded to `to`.
bool CanExpandTo(DimSpan from, DimSpan to);

// `shape` with its -1 filled in, so that it has numel elements. Source: at::infer_size_dv.
Dims InferShape(DimSpan shape, Dim numel);
// Returns true if the number, or one of the numbers, depends on data, so that it has no hint.
inline bool IsData(Dim d) { return !d.Hint(); }
bool HasData(DimSpan dims);
// Returns true if there are no elements, at the hints and with a guard. False if that depends on data.
inline bool IsEmpty(DimSpan sizes) { return GuardOrFalse(Eq(Numel(sizes), 0)); }
inline bool IsEmpty(const TensorMeta& t) { return IsEmpty(t.size_span()); }
// Returns true if there are no elements for all values of the symbols. Adds no guard.
inline bool IsKnownEmpty(DimSpan sizes) { return Known(Eq(Numel(sizes), 0)); }
inline bool IsKnownEmpty(const TensorMeta& t) { return IsKnownEmpty(t.size_span()); }
// Relies on this number of elements. Returns false if that is known to be wrong.
inline bool HasNumel(const TensorMeta& t, Dim numel) { return Expect(Eq(Numel(t.size_span()), numel)); }
// Relies on `size` being a multiple of `by`. Returns false if that is known to be wrong.
inline bool Divides(Dim by, Dim size) { return Expect(Eq(Mod(size, by), 0)); }
// Demands that no size is below zero.
void RequireNonNegative(DimSpan sizes);

// The strides of a view of `t` with these sizes. Nothing if t's strides do not allow the view. Source:
// at::detail::computeStride.
std::optional<Dims> ComputeViewStrides(const TensorMeta& t, DimSpan sizes);

}  // namespace fakeprop
