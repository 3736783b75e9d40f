#include "lib/value_ranges/element_overlap.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace fakeprop {
namespace {

// The dimensions from the one with the least stride on; from the last one on where strides have symbols.
std::vector<size_t> FromInnermost(const TensorMeta& t) {
  std::vector<size_t> dims(t.sizes.size());
  std::iota(dims.rbegin(), dims.rend(), 0);
  if (std::ranges::any_of(t.strides, [](Dim stride) { return stride.IsSymbolic(); })) return dims;
  std::ranges::stable_sort(dims, {}, [&](size_t d) { return *t.strides[d].TryNumber(); });
  return dims;
}

}  // namespace

bool IsWithoutOverlap(const TensorMeta& t, const RangeMath& math) {
  if (IsNonOverlappingAndDense(t)) return true;
  Dim extent = 0;  // of the dimensions so far
  for (const size_t d : FromInnermost(t)) {
    if (t.sizes[d].TryNumber() == 1) continue;
    if (!math.IsAtMost(math.Of(extent + 1), math.Of(t.strides[d]))) return false;
    extent = extent + (t.sizes[d] - 1) * t.strides[d];
  }
  return true;
}

}  // namespace fakeprop
