#include "lib/rules/support/slice_metas.h"

#include "lib/rules/core/failures.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void RequireNotScalar(const TensorMeta& t, const char* op) {
  RequireIndex(t.rank() != 0, {"{}() cannot be applied to a 0-dim tensor", op});
}

// A bound of a slice as an index into a dimension; nothing where even its sign depends on data.
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

// How many elements there are from one index to another; a new symbol where that depends on data.
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
  RequireValue(Guard(Gt(step, 0)), {"slice step must be positive, but got {}", step});
  const Dim size = t.sizes[dim];
  if (IsData(size) || (start && IsData(*start)) || (end && IsData(*end))) return SlicedByData(t, dim, start, end, step);
  const Dim from = start ? ClampBound(*start, size, 0, size) : Dim(0);
  // Python writes INT64_MAX for an end that is left out.
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
  RequireValue(Ge(length, 0), {"narrow(): length must be non-negative, but got {}", length});
  const Dim size = t.sizes[dim];
  RequireIndex(And(Ge(start, -size), Le(start, size)),
      {"start out of range (expected to be in range of [{}, {}], but got {})", -size, size, start});
  const bool is_known = !IsData(start) || Known(Ge(start, 0)) || Known(Lt(start, 0));
  if (is_known && Guard(Lt(start, 0))) start += size;
  if (is_known && !Expect(Le(start, size - length)))
    FailIndex({"start ({}) + length ({}) exceeds dimension size ({})", start, length, size});
  TensorMeta out = t;
  // Where only data tells from which end it counts, the offset is unknown.
  out.storage_offset = is_known ? t.storage_offset + start * t.strides[dim] : UnbackedInteger(0);
  out.sizes[dim] = length;
  return out;
}

namespace {

// Whether an index into a dimension is within it. Where that depends on data the answer is yes.
bool IsWithin(Dim index, Dim size) {
  if (IsData(index) || IsData(size)) return !GuardOrFalse(Ge(index, size)) && !GuardOrFalse(Lt(index, -size));
  return Expect(And(Ge(index, -size), Lt(index, size)));
}

// Where an index stands in memory. Where only data tells from which end it counts, that is unknown.
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
  RequireIndex(IsWithin(index, size),
      {"select(): index {} out of range for tensor of size {} at dimension {}", index, t.sizes, dim});
  TensorMeta out = t;
  out.storage_offset = OffsetOf(t, dim, index);
  out.sizes.erase(out.sizes.begin() + dim);
  out.strides.erase(out.strides.begin() + dim);
  return out;
}

TensorMeta DiagonalMeta(const TensorMeta& t, Dim offset, int64_t dim1, int64_t dim2) {
  dim1 = WrapDim(dim1, t.rank());
  dim2 = WrapDim(dim2, t.rank());
  RequireValue(dim1 != dim2, {"diagonal dimensions cannot be identical {}, {}", dim1, dim2});
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
  RequireValue(sizes.size() == strides.size(), {"mismatch in length of strides and shape: {} for {}", strides, sizes});
  RequireNonNegative(sizes);
  for (Dim stride : strides) RequireValue(Ge(stride, 0), {"as_strided takes no negative strides, got {}", strides});
  TensorMeta out = WithLayout(t, std::move(sizes), std::move(strides));
  if (offset) out.storage_offset = *offset;
  RequireValue(Ge(out.storage_offset, 0), {"a storage offset cannot be negative, got {}", out.storage_offset});
  return out;
}

TensorMeta StridedMeta(const Tensor& t, Dims sizes, Dims strides, std::optional<Dim> offset) {
  TensorMeta out = WindowMeta(t.meta, std::move(sizes), std::move(strides), offset);
  // Source: at::native::checkInBoundsForStorage. FakeTensorMode does not look.
  const Dim nbytes = StorageNbytes(out);
  const Cond fits = Le(nbytes, t.storage->nbytes);
  const bool is_data = IsData(nbytes) || IsData(t.storage->nbytes);
  if (is_data ? Known(!fits) : !Expect(fits))
    Fail(ErrorClass::kViewError,
        Format(
            "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage size of {} are "
            "out of bounds for storage of size {}",
            out.sizes, out.strides, out.storage_offset, ItemSize(out.dtype), nbytes, t.storage->nbytes));
  return out;
}

}  // namespace fakeprop::rules
