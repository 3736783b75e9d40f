// Sizes and dimensions: what every family asks. Errors are OpErrors in PyTorch's terms.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// A dimension counted from either end, as an index into `rank` dimensions; a 0-dim tensor takes -1 and 0.
// Source: c10::maybe_wrap_dim (torch 2.13).
int64_t WrapDim(int64_t dim, int64_t rank);
// The same for a list; a dimension named twice is an error. `keep order`.
std::vector<int64_t> WrapDims(std::span<const int64_t> dims, int64_t rank);
// As flags per dimension; an empty or missing list means all of them (at::dim_list_to_bitset).
std::vector<bool> DimMask(std::span<const int64_t> dims, int64_t rank);

// The common shape of operands under broadcasting. Source: at::infer_size.
Dims BroadcastSizes(DimSpan a, DimSpan b);
// Whether `from` may be expanded to `to`.
bool CanExpandTo(DimSpan from, DimSpan to);

// `shape` with a -1 filled in so that it holds numel elements. Source: at::infer_size_dv.
Dims InferShape(DimSpan shape, Dim numel);
// Whether data decides the number, so that not even a hint is known; whether it decides one of them.
inline bool IsData(Dim d) { return !d.Hint(); }
bool HasData(DimSpan dims);
// Whether there are no elements: at the hints, with a guard; false where only data tells.
inline bool IsEmpty(DimSpan sizes) { return GuardOrFalse(Eq(Numel(sizes), 0)); }
inline bool IsEmpty(const TensorMeta& t) { return IsEmpty(t.size_span()); }
// Whether there are none whatever the symbols are; adds no guard.
inline bool IsKnownEmpty(DimSpan sizes) { return Known(Eq(Numel(sizes), 0)); }
inline bool IsKnownEmpty(const TensorMeta& t) { return IsKnownEmpty(t.size_span()); }
// Whether there are so many elements, as something that may be relied on.
inline bool HasNumel(const TensorMeta& t, Dim numel) { return Expect(Eq(Numel(t.size_span()), numel)); }
// No entry below zero.
void RequireNonNegative(DimSpan sizes);

// Strides of a view of `t` with these sizes, or nothing where t's strides forbid one. Source:
// at::detail::computeStride.
std::optional<Dims> ComputeViewStrides(const TensorMeta& t, DimSpan sizes);

}  // namespace fakeprop
