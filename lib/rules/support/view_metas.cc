#include "lib/rules/support/view_metas.h"

#include "lib/rules/core/failures.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"

namespace fakeprop::rules {

TensorMeta WithLayout(const TensorMeta& t, Dims sizes, Dims strides) {
  TensorMeta out = t;
  out.sizes = std::move(sizes);
  out.strides = std::move(strides);
  return out;
}

TensorMeta Permuted(const TensorMeta& t, std::span<const int64_t> order) {
  RequireValue(std::ssize(order) == t.rank(),
      {"number of dimensions in the tensor input does not match the length of the desired ordering of dimensions "
       "i.e. input.dim() = {} is not equal to len(dims) = {}",
          t.rank(), order.size()});
  std::vector<bool> seen(order.size());
  TensorMeta out = t;
  size_t i = 0;
  for (int64_t dim : order) {
    const int64_t d = WrapDim(dim, t.rank());
    if (seen[d]) FailValue({"permute(): duplicate dims are not allowed: {}", order});
    seen[d] = true;
    out.sizes[i] = t.sizes[d];
    out.strides[i++] = t.strides[d];
  }
  return out;
}

TensorMeta Transposed(TensorMeta t, int64_t a, int64_t b) {
  a = WrapDim(a, t.rank());
  b = WrapDim(b, t.rank());
  if (t.rank() == 0) return t;
  std::swap(t.sizes[a], t.sizes[b]);
  std::swap(t.strides[a], t.strides[b]);
  return t;
}

namespace {

[[noreturn]] void FailExpand(const TensorMeta& t, DimSpan sizes) {
  Fail(ErrorClass::kShapeMismatch, ExpandMismatch(t.size_span(), sizes));
}

}  // namespace

TensorMeta Expanded(const TensorMeta& t, DimSpan sizes) {
  // Source: at::inferExpandGeometry.
  const size_t added = sizes.size() - t.sizes.size();
  if (sizes.size() < t.sizes.size()) FailExpand(t, sizes);
  Dims out(sizes.size()), strides(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    const bool exists = i >= added;
    const Dim size = exists ? t.sizes[i - added] : Dim(1);
    const bool keeps = Known(Eq(sizes[i], -1));
    if (keeps && !exists)
      FailShape({"the expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {}", i});
    if (!keeps && Known(Lt(sizes[i], 0))) FailValue({"expand takes no negative size but -1, got {}", sizes});
    out[i] = keeps ? size : sizes[i];
    if (keeps || GuardOrFalse(Eq(size, out[i]))) {
      const bool has_inner = !t.sizes.empty() && i + 1 < sizes.size();
      strides[i] = exists ? t.strides[i - added] : has_inner ? out[i + 1] * strides[i + 1] : Dim(0);
    } else if (GuardOrFalse(Eq(size, 1))) {
      strides[i] = 0;
    } else if (Expect(Eq(size, out[i]))) {
      strides[i] = t.strides[i - added];
    } else {
      FailExpand(t, sizes);
    }
  }
  return WithLayout(t, std::move(out), std::move(strides));
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

TensorMeta BroadcastTo(const TensorMeta& t, DimSpan sizes) {
  if (!CanExpandTo(t.size_span(), sizes)) Fail(ErrorClass::kShapeMismatch, ExpandMismatch(t.size_span(), sizes));
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

}  // namespace fakeprop::rules
