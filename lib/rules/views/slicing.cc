// Views of parts of a tensor: slices, splits, diagonals, windows. Brackets of FX graphs (x[:n]) come here from
// lib/python/indexing.cc.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

// A longer list of views is a mistake, and would fill the memory.
void RequireFewParts(int64_t parts) {
  constexpr int64_t kMost = 1 << 20;
  RequireValue(parts <= kMost, {"a tensor is split into {} parts; at most {} are taken", parts, kMost});
}

void Slice(Call& call) {
  ReturnViewOfSelf(call, SlicedMeta(call.In("self"), call.Int("dim"), call.OptionalDim("start"),
                             call.OptionalDim("end"), call.DimArg("step")));
}

void Select(Call& call) {
  ReturnViewOfSelf(call, SelectedMeta(call.In("self"), call.Int("dim"), call.DimArg("index")));
}

TensorMeta NarrowedSelf(const Call& call) {
  return NarrowedMeta(call.In("self"), call.Int("dim"), call.DimArg("start"), call.DimArg("length"));
}

void Narrow(Call& call) { ReturnViewOfSelf(call, NarrowedSelf(call)); }

// A copy of the part. Source: narrow_copy_dense_cpu.
void NarrowCopy(Call& call) {
  const TensorMeta part = NarrowedSelf(call);
  call.ReturnNew(ContiguousMeta(part.size_span(), part.dtype, part.device));
}

// The number in a 0-dim integral tensor, as item() gives it.
Dim IndexIn(Call& call, Tensor& t) {
  if (const auto* value = t.KnownValue())
    if (auto index = value->at(0).TryGet<Dim>()) return *index;
  return UnbackedNumber(call, t).Get<Dim>();
}

void NarrowTensor(Call& call) {
  const Operand self = call.In("self"), start = call.In("start");
  if (start->rank() != 0 || !kInteger.dtypes.Has(start->dtype))
    Fail(ErrorClass::kTypeError, Format("narrow's start must be a 0-dim integral tensor, but got {}", *start),
        {&start.tensor()});
  call.ReturnView(
      self.tensor(), NarrowedMeta(self, call.Int("dim"), IndexIn(call, start.tensor()), call.DimArg("length")));
}

template <ArgumentName Name>
void Diagonal(Call& call) {
  const Operand t = call.In(Name);
  call.ReturnView(t.tensor(), DiagonalMeta(t, call.DimArg("offset"), call.Int("dim1"), call.Int("dim2")));
}

// Windows of `size` elements along a dimension of `available` elements.
void CheckWindows(int64_t dim, Dim available, Dim size, Dim step) {
  RequireValue(Ge(size, 0), {"unfold: size is {} but must be >= 0", size});
  RequireShape(Le(size, available),
      {"unfold: maximum size for tensor at dimension {} is {} but size is {}", dim, available, size});
  RequireValue(Gt(step, 0), {"unfold: step is {} but must be > 0", step});
}

void Unfold(Call& call) {
  const Operand self = call.In("self");
  const int64_t dim = call.WrappedDim("dimension", self);
  const Dim size = call.DimArg("size"), step = call.DimArg("step"), available = SizeAt(self, dim);
  CheckWindows(dim, available, size, step);
  TensorMeta out = *self;
  out.sizes.push_back(size);
  out.strides.push_back(self->rank() ? self->strides[dim] : Dim(1));
  if (self->rank()) {
    out.sizes[dim] = FloorDiv(available - size, step) + 1;
    out.strides[dim] = self->strides[dim] * step;
  }
  call.ReturnView(self.tensor(), std::move(out));
}

// ---- splits: a list of parts along one dimension

using Parts = std::vector<TensorMeta>;

// unsafe_* returns tensors that share the storage, but are no views to autograd.
enum class Tracking { kViews, kUntracked };

// Whether a copy of the tensor is divided: their schema tells of no views, so that pending bits are applied first.
bool IsCopied(const TensorMeta& t, Tracking tracking) { return tracking == Tracking::kUntracked && t.HasPendingBits(); }

// What the parts are parts of.
TensorMeta Whole(const TensorMeta& t, Tracking tracking) { return IsCopied(t, tracking) ? EmptyLike(t) : t; }

void ReturnParts(Call& call, Parts parts, Tracking tracking) {
  Tensor& t = call.In("self").tensor();
  if (tracking == Tracking::kViews) return call.ReturnViewList(t, std::move(parts));
  std::vector<Output> items;
  for (TensorMeta& part : parts) {
    items.push_back(
        IsCopied(t.meta, tracking) ? NewOutput(std::move(part)) : UntrackedViewOutput(call, t, std::move(part)));
    if (IsCopied(t.meta, tracking) && items.size() > 1) items.back().shares_with = 0;
  }
  ReturnList(call, std::move(items));
}

TensorMeta Part(const TensorMeta& t, int64_t dim, Dim start, Dim length) {
  TensorMeta out = t;
  out.storage_offset += start * t.strides[dim];
  out.sizes[dim] = length;
  return out;
}

Parts PartsOfSize(const TensorMeta& t, Dim size, int64_t dim) {
  RequireValue(Ge(size, 0), {"split expects split_size be non-negative, but got split_size={}", size});
  const Dim total = t.sizes[dim];
  if (GuardOrFalse(Eq(size, 0))) {
    RequireValue(
        Eq(total, 0), {"split_size can only be 0 if dimension size is 0, but got dimension size of {}", total});
    return {t};
  }
  const int64_t count = Max(CeilDiv(total, size), 1).Specialize();
  RequireFewParts(count);
  Parts parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(Part(t, dim, size * i, i + 1 < count ? size : total - size * i));
  return parts;
}

Parts PartsOfSizes(const TensorMeta& t, DimSpan sizes, int64_t dim) {
  Dim sum = 0;
  for (Dim size : sizes) {
    RequireValue(Ge(size, 0),
        {"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={}", sizes});
    sum += size;
  }
  RequireShape(Eq(sum, t.sizes[dim]),
      {"split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), but got "
       "split_sizes={}",
          t.sizes[dim], dim, sizes});
  Parts parts;
  Dim start = 0;
  for (Dim size : sizes) {
    parts.push_back(Part(t, dim, start, size));
    start += size;
  }
  return parts;
}

Operand SplitArgument(const Call& call, int64_t rank = 1) {
  return call.In("self").RankAtLeast(rank, {"expects at least a {}-dimensional tensor, but got {}", rank});
}

int64_t SplitDim(const Call& call, const Operand& self) { return call.WrappedDim("dim", self); }

template <Tracking tracking>
void Split(Call& call) {
  const Operand self = SplitArgument(call);
  const int64_t dim = SplitDim(call, self);
  ReturnParts(call, PartsOfSize(Whole(self, tracking), call.DimArg("split_size"), dim), tracking);
}

template <Tracking tracking, ArgumentName Sizes = "split_sizes">
void SplitWithSizes(Call& call) {
  const Operand self = SplitArgument(call);
  const int64_t dim = SplitDim(call, self);
  ReturnParts(call, PartsOfSizes(Whole(self, tracking), call.DimList(Sizes), dim), tracking);
}

template <Tracking tracking>
void Chunk(Call& call) {
  const Operand self = SplitArgument(call);
  const int64_t chunks = call.Int("chunks"), dim = SplitDim(call, self);
  RequireValue(chunks > 0, {"chunk expects `chunks` to be greater than 0, got: {}", chunks});
  RequireFewParts(chunks);
  const Dim size = self->sizes[dim];
  // Nothing to divide: as many empty parts as were asked for.
  const TensorMeta whole = Whole(self, tracking);
  if (GuardOrFalse(Eq(size, 0))) return ReturnParts(call, Parts(chunks, whole), tracking);
  ReturnParts(call, PartsOfSize(whole, CeilDiv(size, chunks), dim), tracking);
}

void Unbind(Call& call) {
  const Operand self = call.In("self");
  RequireIndex(
      self->rank() != 0, "unbind takes no 0-dim tensor: dimension specified as 0 but tensor has no dimensions");
  const int64_t dim = SplitDim(call, self);
  const int64_t count = self->sizes[dim].Specialize();
  RequireFewParts(count);
  Parts parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(SelectedMeta(self, dim, i));
  call.ReturnViewList(self.tensor(), std::move(parts));
}

// ---- tensor_split and kin: parts of nearly equal size, or between given positions

Parts Sections(const TensorMeta& t, int64_t sections, int64_t dim) {
  RequireValue(sections > 0, {"tensor_split: number of sections must be larger than 0, got {}", sections});
  RequireFewParts(sections);
  const Dim least = FloorDiv(t.sizes[dim], sections), longer = Mod(t.sizes[dim], sections);
  Parts parts;
  Dim start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const Dim length = Guard(Lt(i, longer)) ? least + 1 : least;
    parts.push_back(Part(t, dim, start, length));
    start += length;
  }
  return parts;
}

Parts Between(const TensorMeta& t, DimSpan positions, int64_t dim) {
  Parts parts;
  Dim start = 0;
  for (Dim end : positions) {
    parts.push_back(SlicedMeta(t, dim, start, end, 1));
    start = end;
  }
  parts.push_back(SlicedMeta(t, dim, start, std::nullopt, 1));
  return parts;
}

void TensorSplitSections(Call& call) {
  const Operand self = SplitArgument(call);
  call.ReturnViewList(self.tensor(), Sections(self, call.Int("sections"), SplitDim(call, self)));
}

void TensorSplitIndices(Call& call) {
  const Operand self = SplitArgument(call);
  call.ReturnViewList(self.tensor(), Between(self, call.DimList("indices"), SplitDim(call, self)));
}

// The indices that a tensor holds. Unknown ones become symbols, where the run has symbols for data.
Dims PositionsIn(const Tensor& by) {
  const std::vector<Value>* known = by.KnownValue();
  if (!known && !MakesUnbacked())
    Fail(ErrorClass::kDataDependentOutput, "tensor_split depends on the values of a tensor", {&by});
  Dims positions;
  for (int64_t i = 0; i < by.meta.sizes[0].Specialize(); ++i)
    positions.push_back(known ? known->at(i).Get<Dim>() : UnbackedInteger());
  return positions;
}

// Sections or indices by a tensor on the cpu.
void TensorSplitTensor(Call& call) {
  const Operand self = SplitArgument(call), by = call.In("tensor_indices_or_sections");
  if (by->dtype != ScalarType::Long || by->rank() > 1 || !by->device.is_cpu())
    Fail(ErrorClass::kValueError,
        "tensor_split takes sections or indices as an int64 cpu tensor of at most 1 dimension", {&by.tensor()});
  if (by->rank() == 0)
    return call.ReturnViewList(
        self.tensor(), Sections(self, IndexIn(call, by.tensor()).Specialize(), SplitDim(call, self)));
  const Dims positions = PositionsIn(by.tensor());
  call.ReturnViewList(self.tensor(), Between(self, positions, SplitDim(call, self)));
}

// hsplit splits columns, or the elements of a vector. vsplit splits rows, dsplit the third dimension.
template <int Rank, int Axis>
void AxisSplitSections(Call& call) {
  const Operand self = SplitArgument(call, Rank);
  const int64_t dim = std::min<int64_t>(Axis, self->rank() - 1), sections = call.Int("sections");
  RequireShape(call, sections != 0 && Divides(sections, self->sizes[dim]),
      {"attempted to split along dimension {}, but the size of the dimension {} is not divisible by the "
       "split_size {}",
          dim, self->sizes[dim], sections});
  call.ReturnViewList(self.tensor(), Sections(self, sections, dim));
}

template <int Rank, int Axis>
void AxisSplitIndices(Call& call) {
  const Operand self = SplitArgument(call, Rank);
  const int64_t dim = std::min<int64_t>(Axis, self->rank() - 1);
  call.ReturnViewList(self.tensor(), Between(self, call.DimList("indices"), dim));
}

using enum Tracking;

constexpr RuleRow kRows[] = {
    {"aten::slice.Tensor", Slice},
    {"aten::select.int", Select},
    {"aten::narrow", Narrow},
    {"aten::narrow.Tensor", NarrowTensor, Devices::kAny},
    {"aten::narrow_copy", NarrowCopy, Overlap::kAllowedInOut},
    {"aten::diagonal", Diagonal<"self">},
    {"aten::linalg_diagonal", Diagonal<"A">},
    {"aten::unfold", Unfold},

    {"aten::split.Tensor", Split<kViews>},
    {"aten::split_copy.Tensor", kNoRule, OutStrides::kNeverResized},
    {"aten::split", SplitWithSizes<kViews>},
    {"aten::split.sizes", SplitWithSizes<kViews, "split_size">},
    {"aten::split_with_sizes", SplitWithSizes<kViews>},
    {"aten::chunk", Chunk<kViews>},
    {"aten::unsafe_split.Tensor", Split<kUntracked>},
    {"aten::unsafe_split_with_sizes", SplitWithSizes<kUntracked>},
    {"aten::unsafe_chunk", InOrder<RequireDifferentiable<"self">, Chunk<kUntracked>>},
    {"aten::unbind.int", Unbind},

    {"aten::tensor_split.sections", TensorSplitSections, ListViews::kOfEach},
    {"aten::tensor_split.indices", TensorSplitIndices, ListViews::kOfEach},
    {"aten::tensor_split.tensor_indices_or_sections", TensorSplitTensor, Devices::kAny | ListViews::kOfEach},
    {"aten::hsplit.int", AxisSplitSections<1, 1>, ListViews::kOfEach},
    {"aten::hsplit.array", AxisSplitIndices<1, 1>, ListViews::kOfEach},
    {"aten::vsplit.int", AxisSplitSections<2, 0>, ListViews::kOfEach},
    {"aten::vsplit.array", AxisSplitIndices<2, 0>, ListViews::kOfEach},
    {"aten::dsplit.int", AxisSplitSections<3, 2>, ListViews::kOfEach},
    {"aten::dsplit.array", AxisSplitIndices<3, 2>, ListViews::kOfEach},
};

}  // namespace

RuleRows SlicingRules() { return kRows; }

}  // namespace fakeprop::rules
