// Views of a whole tensor: in other sizes, or with its dimensions in another order.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/slice_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void View(Call& call) { ReturnViewOfSelf(call, ViewedMeta(call.In("self"), call.DimList("size"))); }

void ViewAs(Call& call) { ReturnViewOfSelf(call, ViewedMeta(call.In("self"), call.In("other")->size_span())); }

void UnsafeView(Call& call) {
  const Operand self = call.In("self");
  Return(call, UntrackedViewOutput(call, self.tensor(), ViewedMeta(self, call.DimList("size"))));
}

void ReshapeTo(Call& call, DimSpan shape) { Return(call, ReshapedOutput(call.In("self").tensor(), shape)); }

void Reshape(Call& call) { ReshapeTo(call, call.DimList("shape")); }
// The other tensor is asked for its sizes alone.
void ReshapeAs(Call& call) {
  ReshapeTo(call, call.In("other")->size_span());
  if (call.effects().outputs[0].kind == Output::Kind::kNew) FollowOnly(call, {"self"});
}

// Always a copy. Source: _reshape_copy in torch/_subclasses/fake_impls.py.
void ReshapeCopy(Call& call) { call.ReturnNew(ReshapedCopyMeta(call.In("self"), call.DimList("size"))); }

// contiguous().view(-1): unlike reshape, a strided vector is copied.
void Ravel(Call& call) {
  const Operand self = call.In("self");
  const Dims flat{self.Numel()};
  if (IsContiguous(self)) return void(call.ReturnView(self.tensor(), ViewedMeta(self, flat)));
  call.ReturnNew(ContiguousMeta(flat, self->dtype, self->device));
}

// The sizes with those from `start` to `end` as one.
Dims FlattenedSizes(DimSpan sizes, int64_t start, int64_t end) {
  Dims shape(sizes.begin(), sizes.begin() + start);
  shape.push_back(Numel(sizes.subspan(start, end - start + 1)));
  shape.insert(shape.end(), sizes.begin() + end + 1, sizes.end());
  return shape;
}

void Flatten(Call& call) {
  const Operand self = call.In("self");
  const int64_t start = call.WrappedDim("start_dim", self), end = call.WrappedDim("end_dim", self);
  RequireValue(
      start <= end, {"flatten() has invalid args: start_dim cannot come after end_dim: {} and {}", start, end});
  if (self->rank() == 0) return ReshapeTo(call, Dims{1});
  if (start == end) return ReturnSelf(call);
  ReshapeTo(call, FlattenedSizes(self->size_span(), start, end));
}

void Unflatten(Call& call) {
  const Operand self = call.In("self");
  const Dims parts = call.DimList("sizes");
  const int64_t dim = call.WrappedDim("dim", self);
  if (parts.empty()) FailValue("unflatten: sizes must be non-empty");
  RequireShape(self->rank() != 0, "unflatten cannot be applied to a 0-dim tensor");
  const Dims inferred = InferShape(parts, self->sizes[dim]);
  Dims shape = self->sizes;
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin() + dim, inferred.begin(), inferred.end());
  call.ReturnView(self.tensor(), ViewedMeta(self, shape));
}

void ReshapeAlias(Call& call) {
  const Operand self = call.In("self");
  const Dims sizes = call.DimList("size"), strides = call.DimList("stride");
  RequireValue(call, sizes.size() == strides.size(), "takes as many strides as sizes");
  call.ReturnView(self.tensor(), WithLayout(self, sizes, strides));
}

void AsStrided(Call& call) {
  Tensor& self = call.In("self").tensor();
  call.ReturnView(
      self, StridedMeta(self, call.DimList("size"), call.DimList("stride"), call.OptionalDim("storage_offset")));
}

void Alias(Call& call) { ReturnViewOfSelf(call, call.In("self")); }

void Detach(Call& call) {
  const Operand self = call.In("self");
  call.ReturnAlias(self.tensor(), self);
}

void Lift(Call& call) {
  const Operand self = call.In("self");
  ReturnFollowedAlias(call, self.tensor(), self);
}

void Positive(Call& call) {
  RequireDtype(call.In("self")->dtype != ScalarType::Bool, "positive is not defined for bool tensors");
  ReturnSelf(call);
}

// ---- order of dimensions

void Permute(Call& call) { ReturnViewOfSelf(call, Permuted(call.In("self"), call.Ints("dims"))); }

template <ArgumentName A, ArgumentName B>
void Transpose(Call& call) {
  ReturnViewOfSelf(call, Transposed(call.In("self"), call.Int(A), call.Int(B)));
}

void T(Call& call) {
  const Operand self = call.In("self").RankAtMost(
      2, {"expects a tensor with <= 2 dimensions, but self is {}D: {}", call.In("self")->rank()});
  call.ReturnView(self.tensor(), self->rank() < 2 ? *self : Transposed(self, 0, 1));
}

void NumpyT(Call& call) {
  const Operand self = call.In("self");
  TensorMeta t = *self;
  std::reverse(t.sizes.begin(), t.sizes.end());
  std::reverse(t.strides.begin(), t.strides.end());
  call.ReturnView(self.tensor(), std::move(t));
}

// Each dimension of `from` goes to its place in `to`; the others fill the places left, in their own order.
std::vector<int64_t> MovedOrder(const std::vector<int64_t>& from, const std::vector<int64_t>& to, int64_t rank) {
  std::vector<int64_t> order(rank, -1);
  for (size_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  int64_t next = 0;
  for (int64_t& place : order) {
    if (place >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    place = next++;
  }
  return order;
}

void MoveDims(Call& call) {
  const Operand self = call.In("self");
  const auto from = WrapDims(call.Ints("source"), self->rank()), to = WrapDims(call.Ints("destination"), self->rank());
  RequireValue(from.size() == to.size(),
      {"movedim: invalid source or destination dims: source ({} dims) should contain the same number of dims as "
       "destination ({} dims)",
          from.size(), to.size()});
  if (self->rank() == 0) return Alias(call);
  call.ReturnView(self.tensor(), Permuted(self, MovedOrder(from, to, self->rank())));
}

// ---- dimensions of size 1, and repeated ones

void Unsqueeze(Call& call) { ReturnViewOfSelf(call, Unsqueezed(call.In("self"), call.Int("dim"))); }

void SqueezeDims(Call& call, const Operand& self, const std::vector<bool>& mask) {
  Dims sizes, strides;
  for (int64_t d = 0; d < self->rank(); ++d) {
    if (mask[d] && GuardOrFalse(Eq(self->sizes[d], 1))) continue;
    sizes.push_back(self->sizes[d]);
    strides.push_back(self->strides[d]);
  }
  call.ReturnView(self.tensor(), WithLayout(self, std::move(sizes), std::move(strides)));
}

void Squeeze(Call& call) {
  const Operand self = call.In("self");
  SqueezeDims(call, self, std::vector<bool>(self->rank(), true));
}

// squeeze.dim and squeeze.dims; an empty list squeezes nothing.
void SqueezeNamed(Call& call) {
  const Operand self = call.In("self");
  const auto dims = call.Ints("dim");
  SqueezeDims(call, self, dims.empty() ? std::vector<bool>(self->rank(), false) : DimMask(dims, self->rank()));
}

// The form for dims is computed on a copy of a conjugated or negated view. If that loses dimensions, the view becomes
// contiguous to take it. Source: MathBitsFallback.h, MathBitFallThroughLists.h in aten/src/ATen/native (torch 2.13).
void SqueezeNamedInplace(Call& call) {
  SqueezeNamed(call);
  TensorMeta squeezed = TakeResult(call);
  const Operand self = call.In("self");
  if (self->HasPendingBits() && squeezed.rank() < self->rank())
    squeezed.strides = ContiguousStrides(squeezed.size_span());
  call.SetMeta(self.tensor(), std::move(squeezed));
  call.ReturnArgument(self.tensor());
}

void Expand(Call& call) { ReturnViewOfSelf(call, Expanded(call.In("self"), call.DimList("size"))); }

void ExpandAs(Call& call) { ReturnViewOfSelf(call, Expanded(call.In("self"), call.In("other")->size_span())); }

void BroadcastTensors(Call& call) {
  const auto tensors = call.ListIn("tensors");
  Dims shape;
  for (const Operand& t : tensors) shape = BroadcastSizes(shape, t->size_span());
  std::vector<Output> items;
  for (const Operand& t : tensors) {
    // Source: at::expand_outplace, which returns a tensor that has the shape already as it is.
    const bool fits = ExpectSame(t->size_span(), shape);
    items.push_back(fits ? ArgumentOutput(t.tensor()) : ViewOutput(t.tensor(), Expanded(t, shape)));
  }
  ReturnList(call, std::move(items));
}

void CheckMeshgrid(const std::vector<Tensor*>& tensors) {
  if (tensors.empty()) FailValue("meshgrid takes at least one tensor");
  for (const Tensor* t : tensors) {
    if (t->meta.rank() > 1)
      FailShape({"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}", t->meta.sizes});
    if (t->meta.dtype != tensors[0]->meta.dtype)
      Fail(ErrorClass::kDtypeMismatch, "meshgrid expects all tensors to have the same dtype", {tensors[0], t});
    if (t->meta.device != tensors[0]->meta.device)
      Fail(ErrorClass::kDeviceMismatch, "meshgrid takes tensors of one device", {tensors[0], t});
  }
}

// With numpy's indexing ('xy') the first two tensors swap places in the shape.
void Meshgrid(Call& call, bool swaps) {
  auto tensors = call.Tensors("tensors");
  CheckMeshgrid(tensors);
  swaps = swaps && tensors.size() >= 2;
  if (swaps) std::swap(tensors[0], tensors[1]);
  Dims shape;
  for (const Tensor* t : tensors) shape.push_back(Numel(t->meta.size_span()));
  std::vector<Output> items;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Dims sizes(shape.size(), Dim(1));
    sizes[i] = shape[i];
    items.push_back(ViewOutput(*tensors[i], Expanded(ViewedMeta(tensors[i]->meta, sizes), shape)));
  }
  if (swaps) std::swap(items[0], items[1]);
  ReturnList(call, std::move(items));
}

void MeshgridDefault(Call& call) { Meshgrid(call, false); }

void MeshgridIndexing(Call& call) {
  const std::string_view indexing = call.String("indexing");
  if (indexing != "ij" && indexing != "xy") FailValue({"meshgrid takes the indexing 'ij' or 'xy', not '{}'", indexing});
  Meshgrid(call, indexing == "xy");
}

// At least Rank dimensions. A vector [n] becomes [1, n] or [1, n, 1].
template <int Rank>
Output AtLeast(Tensor& t) {
  const TensorMeta& m = t.meta;
  if (m.rank() >= Rank) return ArgumentOutput(t);
  if (m.rank() == 0) return ReshapedOutput(t, Dims(Rank, Dim(1)));
  if (m.rank() == 1 && Rank == 2) return ViewOutput(t, Unsqueezed(m, 0));
  if (m.rank() == 1) return ViewOutput(t, Unsqueezed(Unsqueezed(m, 0), -1));
  return ViewOutput(t, Unsqueezed(m, -1));
}

template <int Rank>
void AtLeastOne(Call& call) {
  Return(call, AtLeast<Rank>(call.In("self").tensor()));
}

template <int Rank>
void AtLeastEach(Call& call) {
  std::vector<Output> items;
  for (Tensor* t : call.Tensors("tensors")) items.push_back(AtLeast<Rank>(*t));
  ReturnList(call, std::move(items));
}

// `src` is the base that the slice `self` was taken of; the result is the base as a view of the slice's storage.
// Source: at::native::slice_inverse_symint.
void SliceInverse(Call& call) {
  Tensor& self = call.In("self").tensor();
  const Operand base = call.In("src");
  Output& view = call.ReturnView(self, StridedMeta(self, base->sizes, base->strides, base->storage_offset));
  if (base.tensor().RequiresGrad() && call.state().grad_enabled && IsFloatOrComplex(self.meta.dtype))
    view.requires_grad = true;
}

constexpr RuleRow kRows[] = {
    {"aten::view", View, Elements::kKept},
    {"aten::view_as", ViewAs, Devices::kAny},
    {"aten::_unsafe_view", UnsafeView, Elements::kKept | MathBits::kTaken},
    {"aten::reshape", Reshape, Elements::kKept},
    {"aten::reshape_as", ReshapeAs, Devices::kAny},
    {"aten::_reshape_copy", ReshapeCopy},
    {"aten::_reshape_alias", ReshapeAlias},
    {"aten::ravel", InOrder<Ravel, EndInView>},
    {"aten::flatten.using_ints", Flatten, Elements::kKept},
    {"aten::unflatten.int", Unflatten, Elements::kKept},
    {"aten::as_strided", AsStrided},
    {"aten::as_strided_", kNoRule, MathBits::kTaken},
    {"aten::slice_inverse", SliceInverse},
    {"aten::alias", Alias, Elements::kKept},
    {"aten::detach", Detach, Elements::kKept},
    {"aten::data", Detach},
    {"aten::lift", Lift},
    {"aten::lift_fresh", Lift, Elements::kKept},
    {"aten::positive", Positive},

    {"aten::permute", Permute},
    {"aten::transpose.int", Transpose<"dim0", "dim1">},
    {"aten::swapaxes", Transpose<"axis0", "axis1">},
    {"aten::swapdims", Transpose<"dim0", "dim1">},
    {"aten::t", T},
    {"aten::t_", kNoRule, MathBits::kTaken},
    {"aten::numpy_T", NumpyT},
    {"aten::numpy_T.a", NumpyT},
    {"aten::movedim.intlist", MoveDims},
    {"aten::movedim.int", MoveDims},
    {"aten::moveaxis.intlist", MoveDims},
    {"aten::moveaxis.int", MoveDims},

    {"aten::unsqueeze", Unsqueeze, Elements::kKept},
    {"aten::unsqueeze_", kNoRule, MathBits::kTaken},
    {"aten::squeeze", Squeeze, Elements::kKept},
    {"aten::squeeze_", kNoRule, MathBits::kTaken},
    {"aten::squeeze.dim", SqueezeNamed, Elements::kKept},
    {"aten::squeeze.dims", SqueezeNamed, Elements::kKept},
    {"aten::squeeze_.dim", SqueezeNamedInplace},
    {"aten::squeeze_.dims", SqueezeNamedInplace},
    {"aten::expand", Expand},
    {"aten::broadcast_to", Expand},
    {"aten::expand_as", ExpandAs, Devices::kAny},
    {"aten::broadcast_tensors", BroadcastTensors, Devices::kAny | ListViews::kOfEach},
    {"aten::meshgrid", MeshgridDefault, Devices::kAny | ListViews::kOfEach},
    {"aten::meshgrid.indexing", MeshgridIndexing, Devices::kAny | ListViews::kOfEach},
    {"aten::atleast_1d", AtLeastOne<1>},
    {"aten::atleast_2d", AtLeastOne<2>},
    {"aten::atleast_3d", AtLeastOne<3>},
    {"aten::atleast_1d.Sequence", AtLeastEach<1>, Devices::kAny | ListViews::kOfEach},
    {"aten::atleast_2d.Sequence", AtLeastEach<2>, Devices::kAny | ListViews::kOfEach},
    {"aten::atleast_3d.Sequence", AtLeastEach<3>, Devices::kAny | ListViews::kOfEach},
};

}  // namespace

RuleRows ViewRules() { return kRows; }

}  // namespace fakeprop::rules
