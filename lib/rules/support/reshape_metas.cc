#include "lib/rules/support/reshape_metas.h"

#include "lib/rules/core/shapes.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// Whether a view has the sizes as they are written. They hold t's elements whatever the symbols are, or they depend on
// data. Facts about symbols do not count here: they would replace symbols with numbers.
bool StandsAsWritten(const TensorMeta& t, DimSpan shape) {
  const bool infers = std::any_of(shape.begin(), shape.end(), [](Dim size) { return Known(Eq(size, -1)); });
  return infers || !Eq(Numel(shape), Numel(t.size_span())).IsSymbolic() || HasData(t.size_span()) || HasData(shape);
}

// Whether two sizes are equal at the hints. If they are, that becomes a guard. If they differ there is no guard,
// because what follows holds either way.
bool GuardIfEqual(Dim a, Dim b) { return a.Hint() == b.Hint() && Guard(Eq(a, b)); }

// Merges a dimension with those after it until `size` divides it; false where that never happens.
bool MergeUntilDivisible(TensorMeta& t, size_t dim, Dim size) {
  while (!GuardIfEqual(Mod(t.sizes[dim], size), 0)) {
    if (dim + 1 == t.sizes.size()) return false;
    t.sizes[dim] *= t.sizes[dim + 1];
    t.strides[dim] = t.strides[dim + 1];
    t.sizes.erase(t.sizes.begin() + dim + 1);
    t.strides.erase(t.strides.begin() + dim + 1);
  }
  return true;
}

// `shape` made of t's dimensions, one after another: each size is a dimension of t, or is split off one. Nothing where
// that does not work. Source: _reshape_view_helper_core_alg.
std::optional<TensorMeta> SplitOff(TensorMeta t, DimSpan shape) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i == t.sizes.size()) {
      t.sizes.push_back(1);
      t.strides.push_back(t.strides.back());
    }
    if (GuardIfEqual(shape[i], t.sizes[i])) continue;
    if (!MergeUntilDivisible(t, i, shape[i])) return std::nullopt;
    if (GuardIfEqual(shape[i], t.sizes[i])) continue;
    const Dim inner = FloorDiv(t.sizes[i], shape[i]);
    t.sizes[i] = shape[i];
    t.sizes.insert(t.sizes.begin() + i + 1, inner);
    t.strides.insert(t.strides.begin() + i, inner * t.strides[i]);
  }
  t.sizes.resize(shape.size());
  t.strides.resize(shape.size());
  return t;
}

// t in sizes that fill it only because of a guard. Its strides allow a view.
TensorMeta SplitOffMeta(const TensorMeta& t, const Dims& sizes, Dims strides) {
  const bool flattens = t.rank() > 1 && sizes.size() == 1, folds = t.rank() == 1 && sizes.size() == 2;
  const bool is_whole = (flattens || folds) && IsContiguous(t);
  if (is_whole && flattens) return WithLayout(t, {Numel(t.size_span())}, std::move(strides));
  if (!is_whole && !sizes.empty() && !t.sizes.empty() && !IsEmpty(t))
    if (std::optional<TensorMeta> out = SplitOff(t, sizes)) return *out;
  return WithLayout(t, sizes, std::move(strides));
}

// The view, or nothing where t's strides forbid one.
std::optional<TensorMeta> TryView(const TensorMeta& t, DimSpan shape) {
  const bool stands = StandsAsWritten(t, shape);
  Dims sizes = InferShape(shape, Numel(t.size_span()));
  auto strides = ComputeViewStrides(t, sizes);
  if (!strides) return std::nullopt;
  return stands ? WithLayout(t, std::move(sizes), std::move(*strides)) : SplitOffMeta(t, sizes, std::move(*strides));
}

}  // namespace

TensorMeta ViewedMeta(const TensorMeta& t, DimSpan shape) {
  if (auto view = TryView(t, shape)) return *view;
  Fail(ErrorClass::kViewError,
      Format("view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
             "contiguous subspaces). Use .reshape(...) instead: sizes {} and strides {} do not allow {}",
          t.sizes, t.strides, shape));
}

TensorMeta ReshapedCopyMeta(const TensorMeta& t, DimSpan shape) {
  const bool stands = StandsAsWritten(t, shape);
  const Dims sizes = InferShape(shape, Numel(t.size_span()));
  TensorMeta out = ContiguousMeta(sizes, t.dtype, t.device);
  return stands ? out : SplitOffMeta(ContiguousMeta(t.size_span(), t.dtype, t.device), sizes, std::move(out.strides));
}

Output ReshapedOutput(Tensor& t, DimSpan shape) {
  if (auto view = TryView(t.meta, shape)) return ViewOutput(t, std::move(*view));
  return NewOutput(ReshapedCopyMeta(t.meta, shape));
}

TensorMeta Reshaped(const TensorMeta& t, DimSpan sizes) {
  if (auto strides = ComputeViewStrides(t, sizes))
    return WithLayout(t, Dims(sizes.begin(), sizes.end()), std::move(*strides));
  return ContiguousMeta(sizes, t.dtype, t.device);
}

}  // namespace fakeprop::rules
