#include "lib/rules/intermediate.h"

#include "lib/rules/shapes.h"

namespace fakeprop {

TensorMeta Transposed(TensorMeta t, int64_t a, int64_t b) {
  a = WrapDim(a, t.rank());
  b = WrapDim(b, t.rank());
  if (t.rank() == 0) return t;
  std::swap(t.sizes[a], t.sizes[b]);
  std::swap(t.strides[a], t.strides[b]);
  return t;
}

TensorMeta Permuted(const TensorMeta& t, std::span<const int64_t> order) {
  TensorMeta out = t;
  for (size_t i = 0; i < order.size(); ++i) {
    out.sizes[i] = t.sizes[order[i]];
    out.strides[i] = t.strides[order[i]];
  }
  return out;
}

TensorMeta Unsqueezed(TensorMeta t, int64_t dim) {
  dim = WrapDim(dim, t.rank() + 1);
  const Dim stride = dim < t.rank() ? t.sizes[dim] * t.strides[dim] : Dim(1);
  t.sizes.insert(t.sizes.begin() + dim, Dim(1));
  t.strides.insert(t.strides.begin() + dim, stride);
  return t;
}

TensorMeta Squeezed(TensorMeta t, int64_t dim) {
  dim = WrapDim(dim, t.rank());
  if (t.rank() == 0 || !GuardOrFalse(Eq(t.sizes[dim], 1))) return t;
  t.sizes.erase(t.sizes.begin() + dim);
  t.strides.erase(t.strides.begin() + dim);
  return t;
}

TensorMeta Expanded(const TensorMeta& t, DimSpan sizes) {
  if (!CanExpandTo(t.size_span(), sizes))
    Fail(ErrorClass::kShapeMismatch,
        "a tensor of shape " + ToString(t.size_span()) + " does not expand to " + ToString(sizes));
  TensorMeta out = t;
  out.sizes.assign(sizes.begin(), sizes.end());
  out.strides.assign(sizes.size(), Dim(0));
  const size_t added = sizes.size() - t.sizes.size();
  for (size_t i = 0; i < t.sizes.size(); ++i) {
    const bool repeated = GuardOrFalse(Eq(t.sizes[i], 1)) && !GuardOrFalse(Eq(sizes[added + i], 1));
    out.strides[added + i] = repeated ? Dim(0) : t.strides[i];
  }
  return out;
}

TensorMeta Reshaped(const TensorMeta& t, DimSpan sizes) {
  if (auto strides = ComputeViewStrides(t, sizes)) {
    TensorMeta out = t;
    out.sizes.assign(sizes.begin(), sizes.end());
    out.strides = *strides;
    return out;
  }
  return ContiguousMeta(sizes, t.dtype, t.device);
}

TensorMeta EmptyLike(const TensorMeta& t, MemoryFormat format) {
  if (format != MemoryFormat::Preserve) return MetaInFormat(t.size_span(), t.dtype, t.device, format);
  TensorMeta out = ContiguousMeta(t.size_span(), t.dtype, t.device);
  out.strides = PreservedStrides(t);
  return out;
}

TensorMeta InFormat(const TensorMeta& t, MemoryFormat format) {
  return IsContiguousIn(t, format) ? t : EmptyLike(t, format);
}

TensorMeta WithDtype(TensorMeta t, ScalarType dtype) {
  t.dtype = dtype;
  return t;
}

}  // namespace fakeprop
