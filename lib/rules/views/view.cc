// Views of a whole tensor: in other sizes, or with its dimensions in another order.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#include <algorithm>

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void View(Call& call) {
  Tensor& t = call.TensorArg(0);
  call.ReturnView(t, ViewedMeta(t.meta, call.DimList(1)));
}

void ViewAs(Call& call) {
  Tensor& t = call.TensorArg(0);
  call.ReturnView(t, ViewedMeta(t.meta, call.Meta(1).size_span()));
}

void UnsafeView(Call& call) {
  Tensor& t = call.TensorArg(0);
  Return(call, UntrackedViewOutput(call, t, ViewedMeta(t.meta, call.DimList(1))));
}

void ReshapeTo(Call& call, DimSpan shape) {
  Tensor& t = call.TensorArg(0);
  Return(call, ReshapedOutput(t, shape));
}

void Reshape(Call& call) { ReshapeTo(call, call.DimList(1)); }
void ReshapeAs(Call& call) { ReshapeTo(call, call.Meta(1).size_span()); }

// Always a copy. Source: _reshape_copy in torch/_subclasses/fake_impls.py.
void ReshapeCopy(Call& call) {
  const TensorMeta& t = call.Meta(0);
  call.ReturnNew(ReshapedCopyMeta(t, call.DimList(1)));
}

// contiguous().view(-1): unlike reshape, a strided vector is copied.
void Ravel(Call& call) {
  Tensor& t = call.TensorArg(0);
  const Dims flat{Numel(t.meta.size_span())};
  if (IsContiguous(t.meta)) return void(call.ReturnView(t, ViewedMeta(t.meta, flat)));
  call.ReturnNew(ContiguousMeta(flat, t.meta.dtype, t.meta.device));
}

void Flatten(Call& call) {
  Tensor& t = call.TensorArg(0);
  const int64_t rank = t.meta.rank();
  const int64_t start = WrapDim(call.Int(1), rank), end = WrapDim(call.Int(2), rank);
  if (start > end) {
    Fail(ErrorClass::kValueError,
        "flatten's start_dim " + std::to_string(start) + " cannot come after its end_dim " + std::to_string(end));
  }
  if (rank == 0) return ReshapeTo(call, Dims{1});
  if (start == end) return void(call.ReturnArgument(t));
  const auto sizes = t.meta.size_span();
  Dims shape(sizes.begin(), sizes.begin() + start);
  shape.push_back(Numel(sizes.subspan(start, end - start + 1)));
  shape.insert(shape.end(), sizes.begin() + end + 1, sizes.end());
  ReshapeTo(call, shape);
}

void Unflatten(Call& call) {
  Tensor& t = call.TensorArg(0);
  const Dims parts = call.DimList(2);
  const int64_t dim = WrapDim(call.Int(1), t.meta.rank());
  if (parts.empty()) Fail(ErrorClass::kValueError, "unflatten takes at least one size");
  if (t.meta.rank() == 0) Fail(ErrorClass::kShapeMismatch, "unflatten cannot be applied to a 0-dim tensor");
  const Dims inferred = InferShape(parts, t.meta.sizes[dim]);
  Dims shape = t.meta.sizes;
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin() + dim, inferred.begin(), inferred.end());
  call.ReturnView(t, ViewedMeta(t.meta, shape));
}

void ReshapeAlias(Call& call) {
  Tensor& t = call.TensorArg(0);
  if (call.DimList(1).size() != call.DimList(2).size()) FailValue(call, "takes as many strides as sizes");
  call.ReturnView(t, WithLayout(t.meta, call.DimList(1), call.DimList(2)));
}

void AsStrided(Call& call) {
  Tensor& t = call.TensorArg(0);
  call.ReturnView(t, StridedMeta(t, call.DimList(1), call.DimList(2), call.OptionalDim(3)));
}

void Alias(Call& call) { call.ReturnView(call.TensorArg(0), call.Meta(0)); }
void Detach(Call& call) { call.ReturnAlias(call.TensorArg(0), call.Meta(0)); }
void Lift(Call& call) { ReturnFollowedAlias(call, call.TensorArg(0), call.Meta(0)); }
void Self(Call& call) { call.ReturnArgument(call.TensorArg(0)); }

void Positive(Call& call) {
  if (call.Meta(0).dtype == ScalarType::Bool)
    Fail(ErrorClass::kDtypeMismatch, "positive is not defined for bool tensors");
  Self(call);
}

// ---- order of dimensions

void Permute(Call& call) { call.ReturnView(call.TensorArg(0), Permuted(call.Meta(0), call.Ints(1))); }

void Transpose(Call& call) { call.ReturnView(call.TensorArg(0), Transposed(call.Meta(0), call.Int(1), call.Int(2))); }

void RequireRankAtMost2(const Call& call) {
  if (call.Meta(0).rank() <= 2) return;
  Fail(ErrorClass::kShapeMismatch,
      OpName(call) + " takes at most 2 dimensions, but got " + ToString(call.Meta(0).size_span()));
}

void T(Call& call) {
  RequireRankAtMost2(call);
  const TensorMeta& t = call.Meta(0);
  call.ReturnView(call.TensorArg(0), t.rank() < 2 ? t : Transposed(t, 0, 1));
}

void NumpyT(Call& call) {
  TensorMeta t = call.Meta(0);
  std::reverse(t.sizes.begin(), t.sizes.end());
  std::reverse(t.strides.begin(), t.strides.end());
  call.ReturnView(call.TensorArg(0), std::move(t));
}

void MoveDims(Call& call) {
  Tensor& t = call.TensorArg(0);
  const int64_t rank = t.meta.rank();
  const auto from = WrapDims(call.Ints(1), rank), to = WrapDims(call.Ints(2), rank);
  if (from.size() != to.size()) {
    Fail(ErrorClass::kValueError, "movedim takes as many sources as destinations, got " + std::to_string(from.size()) +
                                      " and " + std::to_string(to.size()));
  }
  if (rank == 0) return Alias(call);
  std::vector<int64_t> order(rank, -1);
  for (size_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  int64_t next = 0;
  for (int64_t& place : order) {
    if (place >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    place = next++;
  }
  call.ReturnView(t, Permuted(t.meta, order));
}

// ---- dimensions of size 1, and repeated ones

void Unsqueeze(Call& call) { call.ReturnView(call.TensorArg(0), Unsqueezed(call.Meta(0), call.Int(1))); }

void SqueezeDims(Call& call, const std::vector<bool>& mask) {
  const TensorMeta& t = call.Meta(0);
  Dims sizes, strides;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (mask[d] && GuardOrFalse(Eq(t.sizes[d], 1))) continue;
    sizes.push_back(t.sizes[d]);
    strides.push_back(t.strides[d]);
  }
  call.ReturnView(call.TensorArg(0), WithLayout(t, std::move(sizes), std::move(strides)));
}

void Squeeze(Call& call) { SqueezeDims(call, std::vector<bool>(call.Meta(0).rank(), true)); }

// squeeze.dim and squeeze.dims; an empty list squeezes nothing.
void SqueezeNamed(Call& call) {
  const int64_t rank = call.Meta(0).rank();
  const auto dims = call.Ints(1);
  SqueezeDims(call, dims.empty() ? std::vector<bool>(rank, false) : DimMask(dims, rank));
}

void Expand(Call& call) { call.ReturnView(call.TensorArg(0), Expanded(call.Meta(0), call.DimList(1))); }
void ExpandAs(Call& call) { call.ReturnView(call.TensorArg(0), Expanded(call.Meta(0), call.Meta(1).size_span())); }

void BroadcastTensors(Call& call) {
  const auto tensors = call.Tensors(0);
  Dims shape;
  for (const Tensor* t : tensors) shape = BroadcastSizes(shape, t->meta.size_span());
  std::vector<Output> items;
  for (Tensor* t : tensors) {
    // Source: at::expand_outplace: what has the shape already is handed on.
    const bool fits = ExpectSame(t->meta.size_span(), shape);
    items.push_back(fits ? ArgumentOutput(*t) : ViewOutput(*t, Expanded(t->meta, shape)));
  }
  ReturnList(call, std::move(items));
}

// With numpy's indexing the second tensor gives the rows: the first two swap places in the shape.
void Meshgrid(Call& call, bool swaps) {
  auto tensors = call.Tensors(0);
  if (tensors.empty()) Fail(ErrorClass::kValueError, "meshgrid takes at least one tensor");
  for (const Tensor* t : tensors) {
    if (t->meta.rank() > 1)
      Fail(ErrorClass::kShapeMismatch,
          "meshgrid takes 0-dim and 1-dim tensors, but got " + ToString(t->meta.size_span()));
    if (t->meta.dtype != tensors[0]->meta.dtype)
      Fail(ErrorClass::kDtypeMismatch, "meshgrid takes tensors of one dtype", {tensors[0], t});
    if (t->meta.device != tensors[0]->meta.device)
      Fail(ErrorClass::kDeviceMismatch, "meshgrid takes tensors of one device", {tensors[0], t});
  }
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
  const std::string_view indexing = call.String(1);
  if (indexing != "ij" && indexing != "xy")
    Fail(ErrorClass::kValueError, "meshgrid takes the indexing 'ij' or 'xy', not '" + std::string(indexing) + "'");
  Meshgrid(call, indexing == "xy");
}

// At least Rank dimensions: a vector becomes a row of a matrix, and stands in the middle of three.
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
  Return(call, AtLeast<Rank>(call.TensorArg(0)));
}

template <int Rank>
void AtLeastEach(Call& call) {
  std::vector<Output> items;
  for (Tensor* t : call.Tensors(0)) items.push_back(AtLeast<Rank>(*t));
  ReturnList(call, std::move(items));
}

// The base that a slice was taken of, seen through the slice's storage: (slice, base, ...).
// Source: at::native::slice_inverse_symint.
void SliceInverse(Call& call) {
  Tensor& t = call.TensorArg(0);
  const TensorMeta& base = call.Meta(1);
  call.ReturnView(t, StridedMeta(t, base.sizes, base.strides, base.storage_offset));
}

constexpr RuleRow kRows[] = {
    {"aten::view", View},
    {"aten::view_as", ViewAs, Devices::kAny},
    {"aten::_unsafe_view", UnsafeView},
    {"aten::reshape", Reshape},
    {"aten::reshape_as", ReshapeAs, Devices::kAny},
    {"aten::_reshape_copy", ReshapeCopy},
    {"aten::_reshape_alias", ReshapeAlias},
    {"aten::ravel", Ravel},
    {"aten::flatten.using_ints", Flatten},
    {"aten::unflatten.int", Unflatten},
    {"aten::as_strided", AsStrided},
    {"aten::slice_inverse", SliceInverse},
    {"aten::alias", Alias},
    {"aten::detach", Detach},
    {"aten::data", Detach},
    {"aten::lift", Lift},
    {"aten::lift_fresh", Lift},
    {"aten::positive", Positive},

    {"aten::permute", Permute},
    {"aten::transpose.int", Transpose},
    {"aten::swapaxes", Transpose},
    {"aten::swapdims", Transpose},
    {"aten::t", T},
    {"aten::numpy_T", NumpyT},
    {"aten::numpy_T.a", NumpyT},
    {"aten::movedim.intlist", MoveDims},
    {"aten::movedim.int", MoveDims},
    {"aten::moveaxis.intlist", MoveDims},
    {"aten::moveaxis.int", MoveDims},

    {"aten::unsqueeze", Unsqueeze},
    {"aten::squeeze", Squeeze},
    {"aten::squeeze.dim", SqueezeNamed},
    {"aten::squeeze.dims", SqueezeNamed},
    {"aten::expand", Expand},
    {"aten::broadcast_to", Expand},
    {"aten::expand_as", ExpandAs, Devices::kAny},
    {"aten::broadcast_tensors", BroadcastTensors, Devices::kAny},
    {"aten::meshgrid", MeshgridDefault, Devices::kAny},
    {"aten::meshgrid.indexing", MeshgridIndexing, Devices::kAny},
    {"aten::atleast_1d", AtLeastOne<1>},
    {"aten::atleast_2d", AtLeastOne<2>},
    {"aten::atleast_3d", AtLeastOne<3>},
    {"aten::atleast_1d.Sequence", AtLeastEach<1>, Devices::kAny},
    {"aten::atleast_2d.Sequence", AtLeastEach<2>, Devices::kAny},
    {"aten::atleast_3d.Sequence", AtLeastEach<3>, Devices::kAny},
};

}  // namespace

RuleRows ViewRules() { return kRows; }

}  // namespace fakeprop::rules
