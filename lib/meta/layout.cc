#include <algorithm>
#include <array>

#include "lib/error/error.h"
#include "lib/meta/dtype.h"
#include "lib/meta/ordered_strides.h"
#include "lib/meta/tensor_meta.h"
#include "lib/meta/value.h"

namespace fakeprop {
namespace {

constexpr std::array<int, 4> kChannelsLastOrder = {1, 3, 2, 0};  // innermost first
constexpr std::array<int, 5> kChannelsLast3dOrder = {1, 4, 3, 2, 0};

template <typename Order>
bool IsDenseInOrder(const TensorMeta& t, const Order& order) {
  Dim expected = 1;
  for (int d : order) {
    if (GuardOrFalse(Eq(t.sizes[d], 1))) continue;
    if (!GuardOrFalse(Eq(t.strides[d], expected))) return false;
    expected *= t.sizes[d];
  }
  return true;
}

// c10::is_channels_last_strides_2d_s4 and _3d_s5: the order of the strides, ambiguous cases count as contiguous.
template <typename Order>
bool HasStrideOrder(const TensorMeta& t, const Order& order) {
  if (GuardOrFalse(Eq(t.strides[1], 0))) return false;
  Dim min = 0;
  for (int d : order) {
    if (GuardOrFalse(Eq(t.sizes[d], 0)) || GuardOrTrue(Lt(t.strides[d], min))) return false;
    if (d == 0 && GuardOrFalse(Eq(min, t.strides[1]))) return false;
    min = t.strides[d];
    if (GuardOrTrue(Gt(t.sizes[d], 1))) min *= t.sizes[d];
  }
  return true;
}

}  // namespace

TensorMeta ContiguousMeta(DimSpan sizes, ScalarType dtype, Device device) {
  return MetaInFormat(sizes, dtype, device, MemoryFormat::Contiguous);
}

TensorMeta MetaInFormat(DimSpan sizes, ScalarType dtype, Device device, MemoryFormat format) {
  TensorMeta t;
  t.sizes.assign(sizes.begin(), sizes.end());
  t.strides = StridesInFormat(sizes, format);
  t.dtype = dtype;
  t.device = device;
  return t;
}

Dim Numel(DimSpan sizes) {
  // A zero anywhere makes an empty tensor, however large the rest is.
  for (Dim size : sizes)
    if (Known(Eq(size, 0))) return 0;
  Dim n = 1;
  for (Dim size : sizes) n *= size;
  return n;
}

Dims ContiguousStrides(DimSpan sizes) {
  Dims strides(sizes.size());
  Dim step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= Max(sizes[i], 1);
  }
  return strides;
}

Dims StridesInFormat(DimSpan sizes, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::Contiguous: return ContiguousStrides(sizes);
    case MemoryFormat::ChannelsLast:
      if (sizes.size() == 4) return StridesInOrder(sizes, kChannelsLastOrder);
      Fail(ErrorClass::kShapeMismatch,
          "required rank 4 tensor to use channels_last format, but the sizes are " + ToString(sizes));
    case MemoryFormat::ChannelsLast3d:
      if (sizes.size() == 5) return StridesInOrder(sizes, kChannelsLast3dOrder);
      Fail(ErrorClass::kShapeMismatch, "the channels_last_3d memory format takes 5 dimensions, not " + ToString(sizes));
    default: Fail(ErrorClass::kValueError, "the preserve memory format has no strides of its own");
  }
}

namespace {

// The strides of dense dimensions, from the innermost on. New tensors count a size of 0 as 1 in their strides, views of
// others do not: sizes that data decides may be either. Source: check_contiguous_sizes_strides in
// torch/_prims_common/__init__.py.
class DenseStrides {
 public:
  // Whether a dimension of this size and stride is the next one out.
  bool Takes(Dim size, Dim stride) {
    if (!Known(Eq(stride, of_new_)) && !GuardOrFalse(Eq(stride, expected_))) return false;
    expected_ *= size;
    of_new_ *= size.Hint() ? size : Max(size, 1);
    return true;
  }

 private:
  Dim expected_ = 1, of_new_ = 1;
};

}  // namespace

bool IsContiguous(const TensorMeta& t) {
  for (Dim size : t.sizes)
    if (GuardOrFalse(Eq(size, 0))) return true;
  DenseStrides dense;
  for (size_t i = t.sizes.size(); i-- > 0;)
    if (!GuardOrFalse(Eq(t.sizes[i], 1)) && !dense.Takes(t.sizes[i], t.strides[i])) return false;
  return true;
}

bool IsContiguousIn(const TensorMeta& t, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::ChannelsLast: return t.rank() == 4 && IsDenseInOrder(t, kChannelsLastOrder);
    case MemoryFormat::ChannelsLast3d: return t.rank() == 5 && IsDenseInOrder(t, kChannelsLast3dOrder);
    default: return IsContiguous(t);
  }
}

bool IsChannelsLastStrides2d(const TensorMeta& t) { return t.rank() == 4 && HasStrideOrder(t, kChannelsLastOrder); }
bool IsChannelsLastStrides3d(const TensorMeta& t) { return t.rank() == 5 && HasStrideOrder(t, kChannelsLast3dOrder); }

MemoryFormat SuggestMemoryFormat(const TensorMeta& t) {
  if (t.layout != Layout::Strided) return MemoryFormat::Contiguous;
  if (IsChannelsLastStrides2d(t)) return MemoryFormat::ChannelsLast;
  if (IsChannelsLastStrides3d(t)) return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

bool IsNonOverlappingAndDense(const TensorMeta& t) {
  // Source: c10/core/TensorImpl: contiguous in any format, or dense once sorted by stride.
  if (IsContiguous(t)) return true;
  SmallVector<int, 6> order;
  for (int d = 0; d < t.rank(); ++d)
    if (!GuardOrFalse(Lt(t.sizes[d], 2))) order.push_back(d);
  std::stable_sort(
      order.begin(), order.end(), [&](int a, int b) { return GuardOrFalse(Lt(t.strides[a], t.strides[b])); });
  DenseStrides dense;
  return std::all_of(order.begin(), order.end(), [&](int d) { return dense.Takes(t.sizes[d], t.strides[d]); });
}

bool HasInternalOverlap(const TensorMeta& t) {
  // Source: at::has_internal_overlap: only an expanded dimension is certain to overlap.
  if (IsNonOverlappingAndDense(t)) return false;
  for (int d = 0; d < t.rank(); ++d)
    if (GuardOrFalse(Gt(t.sizes[d], 1)) && GuardOrFalse(Eq(t.strides[d], 0))) return true;
  return false;
}

namespace {

// Whether dimension a lies inside b (positive), outside (negative) or neither is known, as at::infer_dense_strides
// orders dimensions: by stride, equal strides by size, broadcast ones last to say.
int CompareNesting(const TensorMeta& t, int a, int b) {
  if (GuardOrFalse(Eq(t.strides[a], 0)) || GuardOrFalse(Eq(t.strides[b], 0))) return 0;
  if (GuardOrFalse(Lt(t.strides[a], t.strides[b]))) return -1;
  if (GuardOrFalse(Gt(t.strides[a], t.strides[b]))) return 1;
  if (GuardOrFalse(Gt(t.sizes[a], t.sizes[b]))) return 1;
  return 0;
}

}  // namespace

Dims PreservedStrides(const TensorMeta& t) {
  if (IsNonOverlappingAndDense(t)) return t.strides;
  // Source: at::infer_dense_strides, an insertion sort that leaves dimensions it cannot compare in place.
  std::vector<int> perm(t.rank());
  for (int i = 0; i < t.rank(); ++i) perm[i] = static_cast<int>(t.rank()) - 1 - i;
  for (int i = 1; i < t.rank(); ++i) {
    int moving = i;
    for (int fixed = i - 1; fixed >= 0; --fixed) {
      int order = CompareNesting(t, perm[fixed], perm[moving]);
      if (order > 0) {
        std::swap(perm[fixed], perm[moving]);
        moving = fixed;
      } else if (order < 0) {
        break;
      }
    }
  }
  return StridesInOrder(t.size_span(), perm);
}

Dim StorageNbytes(const TensorMeta& t) {
  if (t.layout != Layout::Strided) return Numel(t.size_span()) * ItemSize(t.dtype);
  Dim extent = t.storage_offset + 1;
  for (int d = 0; d < t.rank(); ++d) {
    if (GuardOrFalse(Eq(t.sizes[d], 0))) return 0;
    extent += (t.sizes[d] - 1) * t.strides[d];
  }
  return extent * ItemSize(t.dtype);
}

namespace {

bool HasContiguousStrides(const TensorMeta& t) {
  const Dims strides = ContiguousStrides(t.size_span());
  for (size_t d = 0; d < strides.size(); ++d)
    if (!Known(Eq(strides[d], t.strides[d]))) return false;
  return true;
}

}  // namespace

std::string ToString(const TensorMeta& t) {
  std::string out(ShortDtypeName(t.dtype));
  out += ToString(t.size_span()) + " on " + t.device.str();
  if (t.layout != Layout::Strided) return out + ", layout " + ToString(Value(t.layout));
  // A message makes no assumptions: symbols show their strides.
  const bool is_symbolic = std::any_of(t.sizes.begin(), t.sizes.end(), [](Dim d) { return d.IsSymbolic(); }) ||
                           std::any_of(t.strides.begin(), t.strides.end(), [](Dim d) { return d.IsSymbolic(); });
  if (is_symbolic ? !HasContiguousStrides(t) : !IsContiguous(t)) out += ", strides " + ToString(t.stride_span());
  return out;
}

}  // namespace fakeprop
