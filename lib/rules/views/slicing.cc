// Views of parts of a tensor: slices, splits, diagonals, windows.
// Source: aten/src/ATen/native/TensorShape.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/unbacked_results.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// A list of views longer than this is a mistake, and would only eat memory.
void RequireFewParts(int64_t parts) {
  constexpr int64_t kMost = 1 << 20;
  if (parts > kMost)
    Fail(ErrorClass::kValueError,
        "a tensor is split into " + std::to_string(parts) + " parts; at most " + std::to_string(kMost) + " are taken");
}

void Slice(Call& call) {
  call.ReturnView(call.TensorArg(0),
      SlicedMeta(call.Meta(0), call.Int(1), call.OptionalDim(2), call.OptionalDim(3), call.DimArg(4)));
}

void Select(Call& call) { call.ReturnView(call.TensorArg(0), SelectedMeta(call.Meta(0), call.Int(1), call.DimArg(2))); }

void Narrow(Call& call) {
  call.ReturnView(call.TensorArg(0), NarrowedMeta(call.Meta(0), call.Int(1), call.DimArg(2), call.DimArg(3)));
}

// A copy of the part. Source: narrow_copy_dense_cpu.
void NarrowCopy(Call& call) {
  const TensorMeta part = NarrowedMeta(call.Meta(0), call.Int(1), call.DimArg(2), call.DimArg(3));
  call.ReturnNew(ContiguousMeta(part.size_span(), part.dtype, part.device));
}

// The number in a 0-dim integral tensor, as item() gives it.
Dim IndexIn(Call& call, Tensor& t) {
  if (const auto* value = t.KnownValue())
    if (auto index = value->at(0).TryGet<Dim>()) return *index;
  return UnbackedNumber(call, t).Get<Dim>();
}

void NarrowTensor(Call& call) {
  Tensor& start = call.TensorArg(2);
  if (start.meta.rank() != 0 || !IsIntegral(start.meta.dtype) || start.meta.dtype == ScalarType::Bool)
    Fail(ErrorClass::kTypeError, "narrow's start must be a 0-dim integral tensor, but got " + ToString(start.meta),
        {&start});
  call.ReturnView(call.TensorArg(0), NarrowedMeta(call.Meta(0), call.Int(1), IndexIn(call, start), call.DimArg(3)));
}

void Diagonal(Call& call) {
  call.ReturnView(call.TensorArg(0), DiagonalMeta(call.Meta(0), call.DimArg(1), call.Int(2), call.Int(3)));
}

void Unfold(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const int64_t dim = WrapDim(call.Int(1), t.rank());
  const Dim size = call.DimArg(2), step = call.DimArg(3);
  const Dim available = t.rank() ? t.sizes[dim] : Dim(1);
  if (!Expect(Ge(size, 0))) Fail(ErrorClass::kValueError, "unfold's size must not be negative, got " + size.ToString());
  if (!Expect(Le(size, available))) {
    Fail(ErrorClass::kShapeMismatch, "unfold's windows of " + size.ToString() + " do not fit into dimension " +
                                         std::to_string(dim) + " of size " + available.ToString());
  }
  if (!Expect(Gt(step, 0))) Fail(ErrorClass::kValueError, "unfold's step must be positive, got " + step.ToString());
  TensorMeta out = t;
  out.sizes.push_back(size);
  out.strides.push_back(t.rank() ? t.strides[dim] : Dim(1));
  if (t.rank()) {
    out.sizes[dim] = FloorDiv(available - size, step) + 1;
    out.strides[dim] = t.strides[dim] * step;
  }
  call.ReturnView(call.TensorArg(0), std::move(out));
}

// ---- splits: a list of parts along one dimension

using Parts = std::vector<TensorMeta>;

// A list of views, or for unsafe_* of tensors that merely share the storage.
enum class Tracking { kViews, kUntracked };

void ReturnParts(Call& call, Parts parts, Tracking tracking) {
  Tensor& t = call.TensorArg(0);
  if (tracking == Tracking::kViews) return call.ReturnViewList(t, std::move(parts));
  std::vector<Output> items;
  for (TensorMeta& part : parts) items.push_back(UntrackedViewOutput(call, t, std::move(part)));
  ReturnList(call, std::move(items));
}

TensorMeta Part(const TensorMeta& t, int64_t dim, Dim start, Dim length) {
  TensorMeta out = t;
  out.storage_offset += start * t.strides[dim];
  out.sizes[dim] = length;
  return out;
}

Parts PartsOfSize(const TensorMeta& t, Dim size, int64_t dim) {
  if (!Expect(Ge(size, 0))) Fail(ErrorClass::kValueError, "split takes no negative split_size, got " + size.ToString());
  const Dim total = t.sizes[dim];
  if (GuardOrFalse(Eq(size, 0))) {
    if (!Expect(Eq(total, 0)))
      Fail(ErrorClass::kValueError, "split_size can only be 0 where the dimension is, but it is " + total.ToString());
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
    if (!Expect(Ge(size, 0))) Fail(ErrorClass::kValueError, "split takes no negative sizes, got " + ToString(sizes));
    sum += size;
  }
  if (!Expect(Eq(sum, t.sizes[dim]))) {
    Fail(ErrorClass::kShapeMismatch, "split's sizes " + ToString(sizes) + " must sum to " + t.sizes[dim].ToString() +
                                         ", the tensor's size at dimension " + std::to_string(dim));
  }
  Parts parts;
  Dim start = 0;
  for (Dim size : sizes) {
    parts.push_back(Part(t, dim, start, size));
    start += size;
  }
  return parts;
}

int64_t SplitDim(const Call& call) { return WrapDim(call.Int(2), call.Meta(0).rank()); }

template <Tracking tracking>
void Split(Call& call) {
  RequireDimensions(call, 1);
  ReturnParts(call, PartsOfSize(call.Meta(0), call.DimArg(1), SplitDim(call)), tracking);
}

template <Tracking tracking>
void SplitWithSizes(Call& call) {
  RequireDimensions(call, 1);
  ReturnParts(call, PartsOfSizes(call.Meta(0), call.DimList(1), SplitDim(call)), tracking);
}

template <Tracking tracking>
void Chunk(Call& call) {
  RequireDimensions(call, 1);
  const int64_t chunks = call.Int(1), dim = SplitDim(call);
  if (chunks <= 0)
    Fail(ErrorClass::kValueError, "chunk takes a positive number of chunks, got " + std::to_string(chunks));
  RequireFewParts(chunks);
  const TensorMeta& t = call.Meta(0);
  // Nothing to divide: as many empty parts as were asked for.
  if (GuardOrFalse(Eq(t.sizes[dim], 0))) return ReturnParts(call, Parts(chunks, t), tracking);
  ReturnParts(call, PartsOfSize(t, CeilDiv(t.sizes[dim], chunks), dim), tracking);
}

void Unbind(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (t.rank() == 0) Fail(ErrorClass::kIndexOutOfRange, "unbind cannot be applied to a 0-dim tensor");
  const int64_t dim = WrapDim(call.Int(1), t.rank());
  const int64_t count = t.sizes[dim].Specialize();
  RequireFewParts(count);
  Parts parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(SelectedMeta(t, dim, i));
  call.ReturnViewList(call.TensorArg(0), std::move(parts));
}

// ---- tensor_split and kin: parts of nearly equal size, or between given positions

Parts Sections(const TensorMeta& t, int64_t sections, int64_t dim) {
  if (sections <= 0)
    Fail(ErrorClass::kValueError, "tensor_split takes a positive number of sections, got " + std::to_string(sections));
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
  RequireDimensions(call, 1);
  call.ReturnViewList(call.TensorArg(0), Sections(call.Meta(0), call.Int(1), SplitDim(call)));
}

void TensorSplitIndices(Call& call) {
  RequireDimensions(call, 1);
  call.ReturnViewList(call.TensorArg(0), Between(call.Meta(0), call.DimList(1), SplitDim(call)));
}

// Sections or indices by a tensor on the cpu, whose values must be known.
void TensorSplitTensor(Call& call) {
  RequireDimensions(call, 1);
  Tensor& by = call.TensorArg(1);
  if (by.meta.dtype != ScalarType::Long || by.meta.rank() > 1 || !by.meta.device.is_cpu())
    Fail(ErrorClass::kValueError,
        "tensor_split takes sections or indices as an int64 cpu tensor of at most 1 dimension", {&by});
  if (by.meta.rank() == 0)
    return call.ReturnViewList(
        call.TensorArg(0), Sections(call.Meta(0), IndexIn(call, by).Specialize(), SplitDim(call)));
  const std::vector<Value>* known = by.KnownValue();
  if (!known && !MakesUnbacked())
    Fail(ErrorClass::kDataDependentOutput, "tensor_split depends on the values of a tensor", {&by});
  Dims positions;
  for (int64_t i = 0; i < by.meta.sizes[0].Specialize(); ++i)
    positions.push_back(known ? known->at(i).Get<Dim>() : UnbackedInteger());
  call.ReturnViewList(call.TensorArg(0), Between(call.Meta(0), positions, SplitDim(call)));
}

// hsplit splits columns (elements, where there is one dimension), vsplit rows, dsplit the third dimension.
template <int Rank, int Axis>
int64_t SplitAxis(const Call& call) {
  RequireDimensions(call, Rank);
  return std::min<int64_t>(Axis, call.Meta(0).rank() - 1);
}

template <int Rank, int Axis>
void AxisSplitSections(Call& call) {
  const int64_t dim = SplitAxis<Rank, Axis>(call), sections = call.Int(1);
  const TensorMeta& t = call.Meta(0);
  if (sections == 0 || !Expect(Eq(Mod(t.sizes[dim], sections), 0))) {
    Fail(ErrorClass::kShapeMismatch, OpName(call) + ": dimension " + std::to_string(dim) + " of size " +
                                         t.sizes[dim].ToString() + " is not divisible by " + std::to_string(sections));
  }
  call.ReturnViewList(call.TensorArg(0), Sections(t, sections, dim));
}

template <int Rank, int Axis>
void AxisSplitIndices(Call& call) {
  const int64_t dim = SplitAxis<Rank, Axis>(call);
  call.ReturnViewList(call.TensorArg(0), Between(call.Meta(0), call.DimList(1), dim));
}

using enum Tracking;

constexpr RuleRow kRows[] = {
    {"aten::slice.Tensor", Slice},
    {"aten::select.int", Select},
    {"aten::narrow", Narrow},
    {"aten::narrow.Tensor", NarrowTensor, Devices::kAny},
    {"aten::narrow_copy", NarrowCopy},
    {"aten::diagonal", Diagonal},
    {"aten::linalg_diagonal", Diagonal},
    {"aten::unfold", Unfold},

    {"aten::split.Tensor", Split<kViews>},
    {"aten::split", SplitWithSizes<kViews>},
    {"aten::split.sizes", SplitWithSizes<kViews>},
    {"aten::split_with_sizes", SplitWithSizes<kViews>},
    {"aten::chunk", Chunk<kViews>},
    {"aten::unsafe_split.Tensor", Split<kUntracked>},
    {"aten::unsafe_split_with_sizes", SplitWithSizes<kUntracked>},
    {"aten::unsafe_chunk", Chunk<kUntracked>},
    {"aten::unbind.int", Unbind},

    {"aten::tensor_split.sections", TensorSplitSections},
    {"aten::tensor_split.indices", TensorSplitIndices},
    {"aten::tensor_split.tensor_indices_or_sections", TensorSplitTensor, Devices::kAny},
    {"aten::hsplit.int", AxisSplitSections<1, 1>},
    {"aten::hsplit.array", AxisSplitIndices<1, 1>},
    {"aten::vsplit.int", AxisSplitSections<2, 0>},
    {"aten::vsplit.array", AxisSplitIndices<2, 0>},
    {"aten::dsplit.int", AxisSplitSections<3, 2>},
    {"aten::dsplit.array", AxisSplitIndices<3, 2>},
};

}  // namespace

RuleRows SlicingRules() { return kRows; }

}  // namespace fakeprop::rules
