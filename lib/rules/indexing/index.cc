// Indexing by tensors of integers and masks. What brackets mean in an FX graph (x[:n]) is in lib/python/indexing.cc.
// Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, IndexingUtils.h; meta_index_Tensor in
// torch/_meta_registrations.py (torch 2.13).
#include <algorithm>
#include <functional>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/out_facts.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

bool IsMask(const TensorMeta& t) { return kMask.dtypes.Has(t.dtype); }

using MaybeIndex = std::optional<TensorMeta>;
bool IsGiven(const MaybeIndex& index) { return index.has_value(); }

// A mask covers the dimensions of self from `at` on.
void RequireMaskFits(const TensorMeta& mask, const TensorMeta& self, int64_t at) {
  if (at + mask.rank() > self.rank())
    FailIndex({"too many indices for tensor of dimension {} (got {})", self.rank(), at + mask.rank()});
  for (int64_t d = 0; d < mask.rank(); ++d) {
    if (Expect(Eq(mask.sizes[d], self.sizes[at + d]))) continue;
    FailIndex({"the shape of the mask {} at index {} does not match the shape of the indexed tensor {} at index {}",
        mask.sizes, d, self.sizes, at + d});
  }
}

// How many positions a mask stands for.
using MaskLength = std::function<Dim(Tensor& mask)>;

// The indices, one for each dimension of self. A mask stands as the positions that it selects, and dimensions without
// an index have none.
class IndexList {
 public:
  IndexList(Call& call, const TensorMeta& self, const std::vector<Tensor*>& written, const MaskLength& length)
      : call_(call), self_(self), length_(length) {
    for (Tensor* t : written) {
      if (!t) {
        indices_.emplace_back();
      } else if (IsMask(t->meta)) {
        AddMask(*t);
      } else {
        AddPositions(t->meta);
      }
    }
    if (static_cast<int64_t>(indices_.size()) > self.rank())
      FailIndex({"too many indices for tensor of dimension {} (got {})", self.rank(), indices_.size()});
    indices_.resize(self.rank());
  }

  std::vector<MaybeIndex>& indices() { return indices_; }

 private:
  void AddPositions(const TensorMeta& index) {
    RequireDtype(call_, index.dtype,
        {kIndexDtype.dtypes, "got {}: tensors used as indices must be long, int, byte or bool tensors"});
    indices_.push_back(index);
  }

  // A mask over k dimensions counts as k indices: the columns of its nonzero().
  void AddMask(Tensor& mask) {
    RequireMaskFits(mask.meta, self_, std::ssize(indices_));
    const TensorMeta positions = ContiguousMeta(Dims{length_(mask)}, ScalarType::Long, mask.meta.device);
    indices_.insert(indices_.end(), mask.meta.rank(), positions);
  }

  Call& call_;
  const TensorMeta& self_;
  const MaskLength& length_;
  std::vector<MaybeIndex> indices_;
};

// Whether the indexed dimensions stand next to each other.
bool AreAdjacent(const std::vector<MaybeIndex>& indices) {
  auto has = [](const MaybeIndex& i) { return i.has_value(); };
  const auto first = std::find_if(indices.begin(), indices.end(), has);
  const auto after = std::find_if_not(first, indices.end(), has);
  return std::none_of(after, indices.end(), has);
}

// Otherwise the indexed dimensions move to the front (transposeToFront).
void MoveIndexedToFront(TensorMeta& self, std::vector<MaybeIndex>& indices) {
  TensorMeta moved = self;
  std::vector<MaybeIndex> order;
  size_t next = 0;
  for (bool indexed : {true, false}) {
    for (size_t d = 0; d < indices.size(); ++d) {
      if (indices[d].has_value() != indexed) continue;
      moved.sizes[next] = self.sizes[d];
      moved.strides[next++] = self.strides[d];
      order.push_back(indices[d]);
    }
  }
  self = std::move(moved);
  indices = std::move(order);
}

Dims BroadcastIndices(const std::vector<MaybeIndex>& indices) {
  Dims shape;
  for (const MaybeIndex& index : indices)
    if (index) shape = BroadcastSizes(shape, index->size_span());
  return shape;
}

// In PyTorch's words for indices that do not fit together.
Dims ShapeOfIndices(const std::vector<MaybeIndex>& indices) {
  try {
    return BroadcastIndices(indices);
  } catch (const OpError& error) {
    if (error.error_class() != ErrorClass::kShapeMismatch) throw;
    std::string shapes;
    for (const MaybeIndex& index : indices)
      if (index) shapes += (shapes.empty() ? "" : ", ") + ToString(index->size_span());
    Fail(ErrorClass::kShapeMismatch,
        "shape mismatch: indexing tensors could not be broadcast together with shapes " + shapes);
  }
}

TensorMeta BroadcastIndex(const TensorMeta& index, DimSpan shape) {
  TensorMeta out = index;
  out.sizes.assign(shape.begin(), shape.end());
  out.strides.assign(shape.size(), 0);
  const size_t missing = shape.size() - index.sizes.size();
  for (size_t d = missing; d < shape.size(); ++d)
    if (!GuardOrFalse(Ne(index.sizes[d - missing], shape[d]))) out.strides[d] = index.strides[d - missing];
  return out;
}

// An index as TensorIterator sees it: broadcast, with dimensions of size 1 for those that are not indexed. With
// `as_view` these have the strides of a view (reshape_indexer), which count where self has size 1, too.
TensorMeta RestrideIndex(const TensorMeta& index, DimSpan shape, size_t before, size_t after, bool as_view) {
  TensorMeta out = BroadcastIndex(index, shape);
  Dims sizes(before, Dim(1));
  sizes.append(shape.begin(), shape.end());
  sizes.append(after, 1);
  Dims strides(before, Dim(0));
  strides.append(out.strides.begin(), out.strides.end());
  strides.append(after, 0);
  const std::optional<Dims> viewed = as_view ? ComputeViewStrides(out, sizes) : std::nullopt;
  out.sizes = std::move(sizes);
  out.strides = viewed.value_or(strides);
  return out;
}

// self with the indexed dimensions replaced by the shape of the indices, stride 0 (restride_src).
TensorMeta RestrideSelf(const TensorMeta& self, DimSpan shape, size_t before, size_t after) {
  TensorMeta out = self;
  out.sizes.assign(self.sizes.begin(), self.sizes.begin() + before);
  out.strides.assign(self.strides.begin(), self.strides.begin() + before);
  out.sizes.append(shape.begin(), shape.end());
  out.strides.append(shape.size(), 0);
  out.sizes.append(self.sizes.end() - after, self.sizes.end());
  out.strides.append(self.strides.end() - after, self.strides.end());
  return out;
}

// How many dimensions follow the last one of the indices in what they select.
int64_t DimsAfterIndices(const std::vector<MaybeIndex>& indices) {
  if (!AreAdjacent(indices)) return std::ranges::count(indices, false, IsGiven);
  const auto first = std::ranges::find_if(indices, IsGiven);
  return indices.end() - std::ranges::find_if_not(first, indices.end(), IsGiven);
}

// What self[indices] is: laid out as TensorIterator does over the restrided self and indices.
TensorMeta IndexedMeta(Call& call, TensorMeta self, const std::vector<Tensor*>& written, const MaskLength& length) {
  IndexList list(call, self, written, length);
  std::vector<MaybeIndex>& indices = list.indices();
  if (!AreAdjacent(indices)) MoveIndexedToFront(self, indices);
  const size_t before = std::ranges::find_if(indices, IsGiven) - indices.begin();
  const size_t after = DimsAfterIndices(indices);
  const Dims shape = ShapeOfIndices(indices);
  std::vector<TensorMeta> metas = {RestrideSelf(self, shape, before, after)};
  if (IsKnownEmpty(metas[0])) return ContiguousMeta(metas[0].size_span(), self.dtype, self.device);
  const auto is_one = [](Dim size) { return Known(Eq(size, 1)); };
  const bool as_view = std::any_of(self.sizes.begin(), self.sizes.begin() + before, is_one) ||
                       std::any_of(self.sizes.end() - after, self.sizes.end(), is_one);
  for (const MaybeIndex& index : indices)
    if (index) metas.push_back(RestrideIndex(*index, shape, before, after, as_view));
  std::vector<const TensorMeta*> operands;
  for (const TensorMeta& m : metas) operands.push_back(&m);
  return ElementwiseMeta(operands, self.dtype, self.device);
}

TensorMeta IndexedMeta(Call& call, const TensorMeta& self, const std::vector<Tensor*>& written) {
  return IndexedMeta(call, self, written, [&](Tensor& mask) { return SelectedByMask(call, mask); });
}

void Index(Call& call) {
  const std::vector<Tensor*> indices = call.Tensors("indices");
  RequireValue(call, !indices.empty(), "needs at least one index");
  call.ReturnNew(IndexedMeta(call, call.In("self"), indices));
}

void RequireMasksFit(const TensorMeta& self, const std::vector<Tensor*>& indices) {
  int64_t at = 0;
  for (const Tensor* t : indices) {
    const bool is_mask = t && IsMask(t->meta);
    if (is_mask) RequireMaskFits(t->meta, self, at);
    at += is_mask ? t->meta.rank() : 1;
  }
}

// The mask of a call that puts one value of the cpu wherever a mask is true, which is masked_fill. Else null. Source:
// canDispatchToMaskedFill.
const Tensor* MaskToFill(const Call& call) {
  const Operand values = call.In("values");
  if (call.Flag("accumulate") || !values->device.is_cpu() || !Known(Eq(values.Numel(), 1))) return nullptr;
  const Tensor* mask = nullptr;
  for (const Tensor* index : call.Tensors("indices")) {
    if (!index) continue;
    if (mask || !IsMask(index->meta) || index->meta.device != call.In("self")->device) return nullptr;
    mask = index;
  }
  return mask;
}

// How much masks select is data. This is the length with which the values broadcast to what the indices select, if
// there is one: that of the values' own dimension in this place.
Dim LengthThatFits(Call& call, const Operand& self, const Operand& values, const std::vector<Tensor*>& written) {
  IndexList list(call, self, written, [](Tensor&) { return Dim(1); });
  const int64_t at = values->rank() - 1 - DimsAfterIndices(list.indices());
  return at < 0 ? Dim(1) : values->sizes[at];
}

// The values broadcast to what the indices select.
void RequireValuesFit(Call& call, const Operand& self, const Operand& values) {
  const std::vector<Tensor*> indices = call.Tensors("indices");
  if (MaskToFill(call)) return RequireMasksFit(self, indices);
  const Dim fitting = LengthThatFits(call, self, values, indices);
  const TensorMeta selected = IndexedMeta(call, self, indices, [&](Tensor& mask) {
    if (const std::optional<Dim> selected = KnownSelection(mask)) return *selected;
    const Dim most = Numel(mask.meta.size_span());
    return GuardOrTrue(Or(Eq(fitting, 1), Le(fitting, most))) ? fitting : most;
  });
  RequireShape(call, CanExpandTo(values->size_span(), selected.size_span()),
      {"got a shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
          values->sizes, selected.sizes});
}

// Source: index_put_impl_quantized_cpu_.
void RequireValuesToQuantize(const Call& call, const Operand& values) {
  if (IsQuantized(values))
    FailDtype(call, {"quantizes its values itself: Value argument for quantized input_put should not be quantized"});
  RequireValue(call, !call.Flag("accumulate"),
      "replaces elements: index_put for quantized tensors is currently only supported for accumulate=False");
}

// A copy of self with elements replaced. masked_fill converts its value. Source: at::native::index_put.
void UnsafeIndexPut(Call& call) {
  const Operand self = call.In("self"), values = call.In("values");
  const Tensor* mask = MaskToFill(call);
  if (IsQuantized(self)) RequireValuesToQuantize(call, values);
  else if (!mask) self.SameDtypeAs(values);
  if (mask && mask->meta.dtype != ScalarType::Bool)
    FailDtype(
        call, {"fills by bool masks: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"});
  RequireValuesFit(call, self, values);
  call.ReturnNew(IsQuantized(self) ? SuggestedMeta(self, self->dtype) : LikeMeta(call, self, self->dtype));
}

// Source for devices: index_put_impl in torch/_subclasses/fake_impls.py.
void IndexPut(Call& call) {
  const Operand self = call.In("self"), values = call.In("values");
  if (values->rank() > 0) values.SameDeviceAs(self);
  UnsafeIndexPut(call);
}

// Indexing with out-of-range positions masked off: index, then masked_fill.
void MaskedIndex(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask");
  const std::vector<Tensor*> indices = call.Tensors("indices");
  RequireValue(call, !indices.empty(), "takes at least one index");
  const TensorMeta selected = IndexedMeta(call, self, indices);
  ReturnContiguous(call, BroadcastSizes(selected.size_span(), mask->size_span()), self->dtype);
}

void MaskedIndexPut(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask"), values = call.In("values");
  mask.SameDeviceAs(values);  // the mask is applied to the values; the rest is an _unsafe_index_put
  const Dims sizes = BroadcastSizes(mask->size_span(), values->size_span());
  self.SameDtypeAs(values);
  const TensorMeta selected = IndexedMeta(call, self, call.Tensors("indices"));
  RequireShape(call, CanExpandTo(sizes, selected.size_span()),
      {"puts masked values of shape {}, which do not broadcast to the indexed {}", sizes, selected.sizes});
  ReturnLike(call, self);
}

// The unsafe forms take no masks, bytes neither. Source: _unsafe_index, _unsafe_masked_index in
// aten/src/ATen/native/TensorAdvancedIndexing.cpp (torch 2.13).
void RequirePositions(Call& call) {
  constexpr Dtypes kPositions = {ScalarType::Long, ScalarType::Int};
  for (const Tensor* t : call.Tensors("indices"))
    if (t && !kPositions.Has(t->meta.dtype))
      FailDtype(call, {"takes int64 and int32 indices: found unexpected index type {}", t->meta.dtype});
}

void WriteIndexed(Call& call) {
  WriteExpanded(call, IndexPut);
  if (!MaskToFill(call)) RequireNoPartOf(call, call.In("self").tensor(), ReadsWritten::kNothingInplace);
}

constexpr RuleRow kRows[] = {
    {"aten::index.Tensor", Index,
        kSelects | Devices::kAny | OutStrides::kOfResultEverywhere | MetaKernel::kOnSeveralDevices},
    {"aten::_unsafe_index.Tensor", InOrder<RequirePositions, Index>, Reads::kSelected},
    {"aten::_unsafe_index.Tensor_hacked_twin", InOrder<RequirePositions, Index>, Devices::kAny | Reads::kSelected},
    {"aten::index.Tensor_hacked_twin", Index, Devices::kAny | Reads::kSelected},
    {"aten::index_put", IndexPut, Devices::kAny},
    {"aten::index_put.hacked_twin", IndexPut, Devices::kAny},
    {"aten::_unsafe_index_put", UnsafeIndexPut, Devices::kAny},
    {"aten::_unsafe_index_put.hacked_twin", UnsafeIndexPut, Devices::kAny},
    {"aten::_index_put_impl", IndexPut},
    {"aten::_unsafe_masked_index", InOrder<RequirePositions, MaskedIndex>},
    {"aten::_unsafe_masked_index_put_accumulate", InOrder<RequirePositions, MaskedIndexPut>, Devices::kAny},
    {"aten::index_put_", WriteIndexed, Devices::kAny},
    {"aten::_index_put_impl_", WriteIndexed, MetaKernel::kOnSeveralDevices},
};

}  // namespace

RuleRows IndexRules() { return kRows; }

}  // namespace fakeprop::rules
