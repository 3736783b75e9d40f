#include "lib/rules/support/view_metas.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/unbacked_results.h"

namespace fakeprop::rules {

void RequireDimensions(const Call& call, int64_t rank) {
  if (call.Meta(0).rank() >= rank) return;
  FailShape(call, "takes a tensor of at least " + std::to_string(rank) + " dimensions, but got " +
                      ToString(call.Meta(0).size_span()));
}

TensorMeta WithLayout(const TensorMeta& t, Dims sizes, Dims strides) {
  TensorMeta out = t;
  out.sizes = std::move(sizes);
  out.strides = std::move(strides);
  return out;
}

TensorMeta Permuted(const TensorMeta& t, std::span<const int64_t> order) {
  if (static_cast<int64_t>(order.size()) != t.rank()) {
    Fail(ErrorClass::kValueError, "permute takes as many dims as its input has dimensions, but got " +
                                      std::to_string(order.size()) + " for " + std::to_string(t.rank()));
  }
  TensorMeta out = t;
  size_t i = 0;
  for (int64_t d : WrapDims(order, t.rank())) {
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

[[noreturn]] void FailExpand(const TensorMeta& t, DimSpan sizes, const std::string& why) {
  Fail(ErrorClass::kShapeMismatch, "cannot expand " + ToString(t.size_span()) + " to " + ToString(sizes) + ": " + why);
}

}  // namespace

TensorMeta Expanded(const TensorMeta& t, DimSpan sizes) {
  // Source: at::inferExpandGeometry.
  const size_t added = sizes.size() - t.sizes.size();
  if (sizes.size() < t.sizes.size()) FailExpand(t, sizes, "fewer sizes than the tensor has dimensions");
  Dims out(sizes.size()), strides(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    const bool exists = i >= added;
    const Dim size = exists ? t.sizes[i - added] : Dim(1);
    const bool keeps = Known(Eq(sizes[i], -1));
    if (keeps && !exists)
      FailExpand(t, sizes, "-1 is not allowed in a leading, non-existing dimension " + std::to_string(i));
    if (!keeps && Known(Lt(sizes[i], 0)))
      Fail(ErrorClass::kValueError, "expand takes no negative size but -1, got " + ToString(sizes));
    out[i] = keeps ? size : sizes[i];
    if (keeps || GuardOrFalse(Eq(size, out[i]))) {
      strides[i] = exists ? t.strides[i - added] : i + 1 < sizes.size() ? out[i + 1] * strides[i + 1] : Dim(1);
    } else if (GuardOrFalse(Eq(size, 1))) {
      strides[i] = 0;
    } else if (Expect(Eq(size, out[i]))) {
      strides[i] = t.strides[i - added];
    } else {
      FailExpand(t, sizes, "size " + size.ToString() + " is not 1 and must match at dimension " + std::to_string(i));
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

namespace {

void RequireNotScalar(const TensorMeta& t, const char* op) {
  if (t.rank() == 0) Fail(ErrorClass::kIndexOutOfRange, std::string(op) + " cannot be applied to a 0-dim tensor");
}

// A bound of a slice as an index into a dimension; nothing where data decides even its sign.
// Source: _compute_slice_index in torch/_subclasses/fake_impls.py (torch 2.13).
std::optional<Dim> SliceIndex(Dim size, Dim bound) {
  if (GuardOrFalse(And(Ge(bound, 0), Le(bound, size)))) return bound;
  if (GuardOrFalse(And(Lt(bound, 0), Ge(bound, -size)))) return bound + size;
  if (GuardOrFalse(Lt(bound, -size))) return Dim(0);
  if (GuardOrFalse(Gt(bound, size))) return size;
  if (GuardOrFalse(Ge(bound, 0))) return Min(bound, size);
  if (GuardOrFalse(Lt(bound, 0))) return Max(bound + size, 0);
  return std::nullopt;
}

// How many elements there are from one index to another; a size of its own where that is data.
Dim SliceLength(std::optional<Dim> from, std::optional<Dim> to, Dim size, Dim step) {
  if (from && to) {
    if (GuardOrFalse(Ge(*to, *from))) return FloorDiv(*to - *from + step - 1, step);
    if (GuardOrFalse(Ge(*from, *to))) return 0;
    return FloorDiv(Max(*to - *from, 0) + step - 1, step);
  }
  const Dim length = UnbackedInteger(0);
  Expect(Le(length, size));
  return length;
}

// A slice whose bounds depend on data. Source: slice_forward in torch/_subclasses/fake_impls.py (torch 2.13).
TensorMeta SlicedByData(const TensorMeta& t, int64_t dim, std::optional<Dim> start, std::optional<Dim> end, Dim step) {
  const Dim size = t.sizes[dim];
  const std::optional<Dim> from = start ? SliceIndex(size, *start) : Dim(0);
  const std::optional<Dim> to = !end || Known(Eq(*end, INT64_MAX)) ? size : SliceIndex(size, *end);
  TensorMeta out = t;
  out.sizes[dim] = SliceLength(from, to, size, step);
  out.storage_offset = from ? t.storage_offset + *from * t.strides[dim] : UnbackedInteger(0);
  out.strides[dim] *= step;
  return out;
}

// A bound of a slice, counted from the end where negative, kept within [low, high].
Dim ClampBound(Dim bound, Dim size, Dim low, Dim high) {
  if (Guard(Lt(bound, 0))) bound += size;
  if (Guard(Lt(bound, low))) return low;
  return Guard(Gt(bound, high)) ? high : bound;
}

}  // namespace

TensorMeta SlicedMeta(const TensorMeta& t, int64_t dim, std::optional<Dim> start, std::optional<Dim> end, Dim step) {
  RequireNotScalar(t, "slice");
  dim = WrapDim(dim, t.rank());
  if (!Guard(Gt(step, 0))) Fail(ErrorClass::kValueError, "a slice's step must be positive, got " + step.ToString());
  const Dim size = t.sizes[dim];
  if (IsData(size) || (start && IsData(*start)) || (end && IsData(*end))) return SlicedByData(t, dim, start, end, step);
  const Dim from = start ? ClampBound(*start, size, 0, size) : Dim(0);
  // What Python writes for an end that is left out.
  const bool is_open = !end || (!end->IsSymbolic() && end->raw() == INT64_MAX);
  const Dim to = is_open ? size : ClampBound(*end, size, from, size);
  TensorMeta out = t;
  out.storage_offset += from * t.strides[dim];
  out.sizes[dim] = CeilDiv(to - from, step);
  out.strides[dim] *= step;
  return out;
}

TensorMeta NarrowedMeta(const TensorMeta& t, int64_t dim, Dim start, Dim length) {
  RequireNotScalar(t, "narrow");
  dim = WrapDim(dim, t.rank());
  if (!Expect(Ge(length, 0)))
    Fail(ErrorClass::kValueError, "narrow takes no negative length, got " + length.ToString());
  const Dim size = t.sizes[dim];
  if (!Expect(And(Ge(start, -size), Le(start, size))))
    Fail(ErrorClass::kIndexOutOfRange,
        "narrow's start " + start.ToString() + " is outside a dimension of size " + size.ToString());
  const bool is_known = !IsData(start) || Known(Ge(start, 0)) || Known(Lt(start, 0));
  if (is_known && Guard(Lt(start, 0))) start += size;
  if (is_known && !Expect(Le(start, size - length))) {
    Fail(ErrorClass::kIndexOutOfRange, "narrow's start (" + start.ToString() + ") + length (" + length.ToString() +
                                           ") exceeds dimension size (" + size.ToString() + ")");
  }
  TensorMeta out = t;
  // From the front or from the end: data decides.
  out.storage_offset = is_known ? t.storage_offset + start * t.strides[dim] : UnbackedInteger(0);
  out.sizes[dim] = length;
  return out;
}

namespace {

// Whether an index into a dimension is within it; where data decides it is taken to be.
bool IsWithin(Dim index, Dim size) {
  if (IsData(index) || IsData(size)) return !GuardOrFalse(Ge(index, size)) && !GuardOrFalse(Lt(index, -size));
  return Expect(And(Ge(index, -size), Lt(index, size)));
}

// Where an index stands in memory: somewhere, where data decides from which end it counts.
// Source: meta_select in torch/_subclasses/fake_impls.py (torch 2.13).
Dim OffsetOf(const TensorMeta& t, int64_t dim, Dim index) {
  if (GuardOrFalse(Ge(index, 0))) return t.storage_offset + index * t.strides[dim];
  if (GuardOrFalse(Lt(index, 0))) return t.storage_offset + (index + t.sizes[dim]) * t.strides[dim];
  return UnbackedInteger();
}

}  // namespace

TensorMeta SelectedMeta(const TensorMeta& t, int64_t dim, Dim index) {
  RequireNotScalar(t, "select");
  dim = WrapDim(dim, t.rank());
  const Dim size = t.sizes[dim];
  if (!IsWithin(index, size)) {
    Fail(ErrorClass::kIndexOutOfRange, "index " + index.ToString() + " is out of range for " + ToString(t.size_span()) +
                                           " at dimension " + std::to_string(dim));
  }
  TensorMeta out = t;
  out.storage_offset = OffsetOf(t, dim, index);
  out.sizes.erase(out.sizes.begin() + dim);
  out.strides.erase(out.strides.begin() + dim);
  return out;
}

TensorMeta DiagonalMeta(const TensorMeta& t, Dim offset, int64_t dim1, int64_t dim2) {
  dim1 = WrapDim(dim1, t.rank());
  dim2 = WrapDim(dim2, t.rank());
  if (dim1 == dim2)
    Fail(ErrorClass::kValueError, "a diagonal's dimensions cannot be identical: " + std::to_string(dim1));
  const bool above = Guard(Ge(offset, 0));
  const Dim rows = above ? t.sizes[dim1] : t.sizes[dim1] + offset;
  const Dim columns = above ? t.sizes[dim2] - offset : t.sizes[dim2];
  const Dim size = Max(Min(rows, columns), 0);
  TensorMeta out = t;
  // An empty diagonal does not move, so that its offset stays within the storage.
  if (!GuardOrFalse(Eq(size, 0))) out.storage_offset += above ? offset * t.strides[dim2] : -offset * t.strides[dim1];
  out.sizes.clear();
  out.strides.clear();
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (d == dim1 || d == dim2) continue;
    out.sizes.push_back(t.sizes[d]);
    out.strides.push_back(t.strides[d]);
  }
  out.sizes.push_back(size);
  out.strides.push_back(t.strides[dim1] + t.strides[dim2]);
  return out;
}

TensorMeta WindowMeta(const TensorMeta& t, Dims sizes, Dims strides, std::optional<Dim> offset) {
  if (sizes.size() != strides.size()) {
    Fail(ErrorClass::kValueError, "as_strided takes as many strides as sizes, got " + ToString(DimSpan(strides)) +
                                      " for " + ToString(DimSpan(sizes)));
  }
  RequireNonNegative(sizes);
  for (Dim stride : strides)
    if (!Expect(Ge(stride, 0)))
      Fail(ErrorClass::kValueError, "as_strided takes no negative strides, got " + ToString(DimSpan(strides)));
  TensorMeta out = WithLayout(t, std::move(sizes), std::move(strides));
  if (offset) out.storage_offset = *offset;
  if (!Expect(Ge(out.storage_offset, 0)))
    Fail(ErrorClass::kValueError, "a storage offset cannot be negative, got " + out.storage_offset.ToString());
  return out;
}

TensorMeta StridedMeta(const Tensor& t, Dims sizes, Dims strides, std::optional<Dim> offset) {
  TensorMeta out = WindowMeta(t.meta, std::move(sizes), std::move(strides), offset);
  // Source: at::native::checkInBoundsForStorage. FakeTensorMode does not look.
  const Dim nbytes = StorageNbytes(out);
  const Cond fits = Le(nbytes, t.storage->nbytes);
  const bool is_data = IsData(nbytes) || IsData(t.storage->nbytes);
  if (is_data ? Known(!fits) : !Expect(fits)) {
    Fail(ErrorClass::kViewError, "as_strided to " + ToString(out.size_span()) + " with strides " +
                                     ToString(out.stride_span()) + " and offset " + out.storage_offset.ToString() +
                                     " needs " + nbytes.ToString() + " bytes of a storage of " +
                                     t.storage->nbytes.ToString());
  }
  return out;
}

namespace {

// Whether a view has the sizes that it is asked for: where they hold t's elements whatever the symbols are (facts do
// not count, which would put numbers in), or depend on data.
bool StandsAsWritten(const TensorMeta& t, DimSpan shape) {
  const bool infers = std::any_of(shape.begin(), shape.end(), [](Dim size) { return Known(Eq(size, -1)); });
  return infers || !Eq(Numel(shape), Numel(t.size_span())).IsSymbolic() || HasData(t.size_span()) || HasData(shape);
}

// Whether two sizes are equal at the hints, which is a guard then. That they differ is none: what follows holds either
// way.
bool GuardIfEqual(Dim a, Dim b) { return a.Hint() == b.Hint() && Guard(Eq(a, b)); }

// A dimension and those after it as one, until `size` divides it; false where none does.
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

// `shape` as it comes out of t's dimensions, one after another: kept, or split off what follows; nothing where it does
// not. Source: _reshape_view_helper_core_alg.
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

// t in sizes that fill it because of a guard, whose strides allow a view.
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
  Fail(ErrorClass::kViewError, "a tensor of sizes " + ToString(t.size_span()) + " and strides " +
                                   ToString(t.stride_span()) + " cannot be viewed as " + ToString(shape) +
                                   "; use reshape");
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

Output NewOutput(TensorMeta meta) {
  Output out;
  out.kind = Output::Kind::kNew;
  out.meta = std::move(meta);
  return out;
}

Output ViewOutput(Tensor& of, TensorMeta meta) {
  Output out = NewOutput(std::move(meta));
  out.kind = Output::Kind::kView;
  out.source = &of;
  return out;
}

Output ArgumentOutput(Tensor& argument) {
  Output out;
  out.kind = Output::Kind::kArgument;
  out.source = &argument;
  return out;
}

Output UntrackedViewOutput(const Call& call, Tensor& of, TensorMeta meta) {
  Output out = ViewOutput(of, std::move(meta));
  out.kind = Output::Kind::kAlias;
  out.requires_grad = call.state().grad_enabled && of.RequiresGrad() && IsFloatOrComplex(out.meta.dtype);
  return out;
}

Output& Return(Call& call, Output output) { return call.effects().outputs.emplace_back(std::move(output)); }

void ReturnList(Call& call, std::vector<Output> items) {
  Output& list = call.effects().outputs.emplace_back();
  list.kind = Output::Kind::kList;
  list.items = std::move(items);
}

TensorMeta BroadcastTo(const TensorMeta& t, DimSpan sizes) {
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

}  // namespace fakeprop::rules
