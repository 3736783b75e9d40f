// Comparing sizes and strides as they are written. Nothing is asked about symbols, so no guard is added.
#pragma once

#include <algorithm>

#include "lib/meta/objects.h"

namespace fakeprop {

// Returns true for the same numbers and the same expressions.
inline bool AreIdentical(DimSpan a, DimSpan b) {
  return std::ranges::equal(a, b, [](Dim x, Dim y) { return x.raw() == y.raw(); });
}

inline bool HaveSameSizes(const Tensor& a, const Tensor& b) {
  return AreIdentical(a.meta.size_span(), b.meta.size_span());
}

}  // namespace fakeprop
