// Advanced indexing and masks.
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
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

constexpr Dtypes kMaskDtypes = {ScalarType::Bool, ScalarType::Byte};
constexpr const char* kMaskText = "takes a bool mask, not {}: expected BoolTensor for mask";

bool IsMask(const TensorMeta& t) { return kMaskDtypes.Has(t.dtype); }

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
    RequireMaskFits(mask.meta, self_, static_cast<int64_t>(indices_.size()));
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
  if (values->device != self->device && values->rank() > 0)
    FailAs(call, ErrorClass::kDeviceMismatch,
        {"takes values on self's device {}, not on {}", self->device, values->device},
        {&self.tensor(), &values.tensor()});
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

// masked_fill: dense, over the broadcast shape.
void MaskedFill(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask").Takes(
                                            ScalarType::Bool, "takes a bool mask, not {}: only supports boolean masks");
  const Operand value =
      call.TryIn("value").Rank(0, "takes a 0-dim value, not {}: only supports a 0-dimensional value tensor");
  const ScalarType dtype = value ? value->dtype : NumberDtype(call.Number("value"), call.state());
  if (IsComplex(dtype)) self.Takes(kComplexDtypes | ScalarType::Bool, "can't store a complex value in {}");
  ReturnContiguous(call, BroadcastSizes(self->size_span(), mask->size_span()), self->dtype);
}

// masked_fill_ and index_put_ have rules of their own: unlike other writes they still take expanded tensors, with a
// warning.
template <Rule Functional>
void WriteExpanded(Call& call) {
  Functional(call);
  const Operand self = call.In("self");
  const DimSpan sizes = call.effects().outputs[0].meta.size_span();
  RequireShape(call, ExpectSame(sizes, self->size_span()),
      {"keeps its shape: output with shape {} doesn't match the broadcast shape {}", self->sizes, sizes});
  call.effects().outputs.clear();
  call.Write(self.tensor());
  call.ReturnArgument(self.tensor());
}

void WriteIndexed(Call& call) {
  WriteExpanded<IndexPut>(call);
  if (!MaskToFill(call)) RequireNoPartOf(call, call.In("self").tensor(), ReadsWritten::kNothingInplace);
}

void MaskedScatter(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask").Takes(kMaskDtypes, kMaskText);
  self.SameDtypeAs(call.In("source"));
  ReturnContiguous(call, BroadcastSizes(self->size_span(), mask->size_span()), self->dtype);
}

void MaskedScatterBackward(Call& call) { ReturnContiguous(call, call.DimList("sizes"), call.In("grad_output")->dtype); }

// How many elements of the broadcast shape the mask selects. Each call gets a new symbol.
// Source: masked_select in torch/_subclasses/fake_impls.py, which bounds it only above 2.
Dim SelectedOf(Call& call, const Operand& self, const Operand& mask, DimSpan shape) {
  if (IsKnownEmpty(shape)) return 0;
  if (auto selected = KnownSelection(mask.tensor()))
    return Known(Eq(*selected, 0)) ? *selected : *selected * FloorDiv(Numel(shape), mask.Numel());
  const std::optional<int64_t> most = MostElements(self.Numel());
  return UnbackedSize(call, most && *most > 2 ? most : std::nullopt);
}

// masked_select: one dimension, as long as the mask selects.
void MaskedSelect(Call& call) {
  const Operand self = call.In("self"), mask = call.In("mask").Takes(kMaskDtypes, kMaskText);
  const Dims shape = BroadcastSizes(self->size_span(), mask->size_span());
  ReturnContiguous(call, Dims{SelectedOf(call, self, mask, shape)}, self->dtype);
}

// The positions of what is not zero, a row each; eager lays the columns out one after the other.
void NonZero(Call& call) {
  const Operand self = call.In("self");
  const Dim rows = SelectedByMask(call, self.tensor());
  TensorMeta out = NewMeta(call, Dims{rows, self->rank()}, ScalarType::Long);
  if (self->rank() > 1 || (rows.IsSymbolic() && self->rank() == 1)) out.strides = {1, rows};
  call.ReturnNew(std::move(out));
}

// A column of nonzero() for each dimension, all on one storage; a number counts as a vector of one.
// Source: at::native::nonzero_numpy.
template <ArgumentName Name>
void NonZeroColumns(Call& call) {
  const Operand t = call.In(Name);
  const Dim rows = SelectedByMask(call, t.tensor());
  const int64_t columns = std::max<int64_t>(t->rank(), 1);
  std::vector<Output> items;
  for (int64_t i = 0; i < columns; ++i) {
    Output& item = items.emplace_back(NewOutput(NewMeta(call, Dims{rows}, ScalarType::Long)));
    item.meta.storage_offset = rows * i;
    if (i > 0) item.shares_with = 0;
  }
  ReturnList(call, std::move(items));
}

// Source: nonzero_static in torch/_meta_registrations.py: other devices lay out column by column.
void NonZeroStatic(Call& call) {
  const Dim size = call.DimArg("size");
  RequireValue(call, !Known(Lt(size, 0)), {"takes a size of at least 0, not {}", size});
  TensorMeta out = NewMeta(call, Dims{size, call.In("self")->rank()}, ScalarType::Long);
  if (!call.OnCpu()) out.strides = {1, size};
  call.ReturnNew(std::move(out));
}

constexpr RuleRow kRows[] = {
    {"aten::index.Tensor", Index,
        Devices::kAny | OutStrides::kOfResultEverywhere | MetaKernel::kOnSeveralDevices | Reads::kSelected |
            ReadsWritten::kNothingInOut | Looks::kBeforeResize},
    {"aten::_unsafe_index.Tensor", Index, Reads::kSelected},
    {"aten::_unsafe_index.Tensor_hacked_twin", Index, Devices::kAny | Reads::kSelected},
    {"aten::index.Tensor_hacked_twin", Index, Devices::kAny | Reads::kSelected},
    {"aten::index_put", IndexPut, Devices::kAny},
    {"aten::index_put.hacked_twin", IndexPut, Devices::kAny},
    {"aten::_unsafe_index_put", UnsafeIndexPut, Devices::kAny},
    {"aten::_unsafe_index_put.hacked_twin", UnsafeIndexPut, Devices::kAny},
    {"aten::_index_put_impl", IndexPut},
    {"aten::_unsafe_masked_index", MaskedIndex},
    {"aten::_unsafe_masked_index_put_accumulate", MaskedIndexPut, Devices::kAny},
    {"aten::masked_fill.Scalar", MaskedFill},
    {"aten::masked_fill.Tensor", MaskedFill},
    {"aten::masked_fill_.Scalar", WriteExpanded<MaskedFill>},
    {"aten::masked_fill_.Tensor", WriteExpanded<MaskedFill>},
    {"aten::index_put_", WriteIndexed, Devices::kAny},
    {"aten::_index_put_impl_", WriteIndexed, MetaKernel::kOnSeveralDevices},
    {"aten::masked_scatter", MaskedScatter},
    {"aten::masked_scatter_backward", MaskedScatterBackward},
    {"aten::masked_select", MaskedSelect},
    {"aten::nonzero", NonZero},
    {"aten::argwhere", NonZero},
    {"aten::nonzero_numpy", NonZeroColumns<"self">},
    {"aten::where", NonZeroColumns<"condition">},
    {"aten::nonzero_static", NonZeroStatic},
};

}  // namespace

RuleRows IndexRules() { return kRows; }

}  // namespace fakeprop::rules
