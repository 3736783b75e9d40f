// Selection and replacement along one dimension: gather, scatter, index_select, index_add, take, repeat_interleave.
// Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, ScatterGatherChecks.h, Embedding.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/unbacked_results.h"

namespace fakeprop::rules {
namespace {

constexpr DtypeClass kLongIndex{ScalarType::Long, "takes an int64 index, not {}: expected a long tensor for index"};

int64_t RankOfAtLeastOne(const TensorMeta& t) { return std::max<int64_t>(t.rank(), 1); }

void RequireSameRank(const Call& call, const TensorMeta& index, const TensorMeta& other, std::string_view name) {
  RequireShape(call, RankOfAtLeastOne(index) == RankOfAtLeastOne(other),
      {"got {} for {}: index tensor must have the same number of dimensions as {} tensor", index.sizes, other.sizes,
          name == "self" && call.schema().name == "aten::gather" ? "input" : name});
}

// The index is no larger than `other`, apart from dimension `except`.
void RequireNoLarger(
    const Call& call, const TensorMeta& index, const TensorMeta& other, int64_t except, std::string_view name) {
  RequireSameRank(call, index, other, name);
  for (int64_t d = 0; d < RankOfAtLeastOne(other); ++d)
    if (d != except && !Expect(Le(SizeAt(index, d), SizeAt(other, d))))
      FailShape(call,
          {"takes no such index: size does not match at dimension {} expected index {} to be no larger than {} {}{}", d,
              index.sizes, name, other.sizes, except < 0 ? std::string() : Format(" apart from dimension {}", except)});
}

void Gather(Call& call) {
  const Operand self = call.In("self"), index = call.In("index");
  const int64_t dim = call.WrappedDim("dim", self);
  if (!IsKnownEmpty(index)) {
    index.Takes(kIndexDtype);
    RequireNoLarger(call, index, self, dim, "self");
  }
  ReturnContiguous(call, index->size_span(), self->dtype);
}

// gather's gradient, scattered into zeros of self's shape.
void GatherBackward(Call& call) {
  const Operand grad = call.In("grad"), self = call.In("self"), index = call.In("index");
  index.SameDeviceAs(grad);  // only self's sizes count
  index.Takes(kIndexDtype);
  if (!IsKnownEmpty(index)) {
    RequireNoLarger(call, index, self, call.WrappedDim("dim", self), "self");
    RequireNoLarger(call, index, grad, -1, "the gradient");
  }
  ReturnContiguous(call, self->size_span(), grad->dtype);
}

void RequireReduce(const Call& call, std::initializer_list<std::string_view> allowed) {
  if (!call.Has("reduce")) return;
  const std::string_view name = call.String("reduce");
  RequireValue(call, std::find(allowed.begin(), allowed.end(), name) != allowed.end(), {"has no reduction `{}`", name});
}

// A dense tensor like self.
void ReturnDenseSelf(Call& call) {
  const Operand self = call.In("self");
  ReturnContiguous(call, self->size_span(), self->dtype);
}

void CheckScatter(const Call& call) {
  const Operand self = call.In("self"), index = call.In("index");
  // A tensor given for `value` is held to the same.
  const Operand src = call.TryIn(call.Has("src") ? ArgumentName("src") : "value");
  const int64_t dim = call.WrappedDim("dim", self);
  if (src && src->dtype != self->dtype)
    FailDtype(call, {"writes {} to {}: expected self.dtype to be equal to src.dtype", *src, *self});
  if (IsKnownEmpty(index)) return;
  index.Takes(kIndexDtype);
  RequireNoLarger(call, index, self, dim, "self");
  if (src) RequireNoLarger(call, index, src, -1, "src");
}

void Scatter(Call& call) {
  CheckScatter(call);
  RequireReduce(call, {"add", "multiply"});
  ReturnDenseSelf(call);
}

void ScatterReduce(Call& call) {
  CheckScatter(call);
  RequireReduce(call, {"sum", "prod", "mean", "amax", "amin"});
  ReturnDenseSelf(call);
}

// At most one dimension: a number counts as a vector of one.
void RequireVectorIndex(const Operand& index) {
  index.RankAtMost(1, "takes an index of shape {}: index is supposed to be a vector");
}

void IndexSelect(Call& call) {
  const Operand self = call.In("self"), index = call.In("index");
  const int64_t dim = call.WrappedDim("dim", self);
  RequireVectorIndex(index);
  index.Takes(kIndexDtype);
  Dims sizes = self->sizes;
  if (self->rank() > 0) sizes[dim] = Numel(index->size_span());
  ReturnContiguous(call, sizes, self->dtype);
}

// A slice of the gradient for each of `count` indices.
void CheckSlicesOfGradient(const Call& call, const Operand& grad, const Dims& sizes, int64_t dim, Dim count) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  grad.Rank(rank);
  for (int64_t d = 0; d < rank; ++d)
    RequireShape(call, d == dim || Expect(Eq(grad->sizes[d], sizes[d])),
        {"takes a gradient of slices of {}, but got {}", sizes, grad->sizes});
  if (dim >= RankOfAtLeastOne(grad))
    Fail(ErrorClass::kIndexOutOfRange, Format("a gradient {} has no dimension {}", grad->sizes, dim));
  RequireShape(
      call, Expect(Eq(SizeAt(grad, dim), count)), {"takes a gradient with {} slices, but got {}", count, grad->sizes});
}

// index_select's gradient, added into zeros of these sizes.
void IndexSelectBackward(Call& call) {
  const Operand grad = call.In("grad"), index = call.In("index");
  const Dims sizes = call.DimList("self_sizes");
  const int64_t dim = WrapDim(call.Int("dim"), static_cast<int64_t>(sizes.size()));
  RequireVectorIndex(index);
  index.Takes(kIndexDtype);
  CheckSlicesOfGradient(call, grad, sizes, dim, Numel(index->size_span()));
  ReturnContiguous(call, sizes, grad->dtype);
}

// The source has as many slices as the index has entries, and self's other sizes.
bool FitsSlices(const TensorMeta& self, const TensorMeta& source, int64_t dim, Dim count) {
  bool fits = source.rank() == 0 ? Expect(Eq(count, 1)) : RankOfAtLeastOne(self) == source.rank();
  for (int64_t d = 0; fits && d < source.rank(); ++d)
    fits = Expect(Eq(source.sizes[d], d == dim ? count : SizeAt(self, d)));
  return fits;
}

void RequireSlices(const Call& call, const Operand& self, const Operand& index, const Operand& source, int64_t dim) {
  RequireVectorIndex(index);
  self.SameDtypeAs(source);
  if (source->device != self->device || index->device != self->device)
    Fail(ErrorClass::kDeviceMismatch, Format("{} takes self, index and source on one device", OpName(call)),
        {&self.tensor(), &index.tensor(), &source.tensor()});
  const Dim count = Numel(index->size_span());
  RequireShape(call, FitsSlices(self, source, dim, count),
      {"adds or copies slices of {} to {} along dimension {}: number of indices ({}) should be equal to "
       "source.size(dim)",
          source->sizes, self->sizes, dim, count});
}

void IndexAdd(Call& call) {
  const Operand self = call.In("self"), index = call.In("index"), source = call.In("source");
  const int64_t dim = call.WrappedDim("dim", self);
  index.Takes(kIndexDtype);
  RequireSlices(call, self, index, source, dim);
  source.Rank(self->rank());
  RequireReduce(call, {"prod", "mean", "amax", "amin"});
  ReturnDenseSelf(call);
}

void IndexCopy(Call& call) {
  const Operand self = call.In("self"), index = call.In("index");
  const int64_t dim = call.WrappedDim("dim", self);
  index.Takes(kLongIndex);
  RequireSlices(call, self, index, call.In("source"), dim);
  ReturnDenseSelf(call);
}

void IndexFill(Call& call) {
  const Operand self = call.In("self"), index = call.In("index");
  call.WrappedDim("dim", self);
  index.Takes(kLongIndex);
  RequireVectorIndex(index);
  call.TryIn("value").Rank(0, "takes a 0-dim value, not {}");
  if (call.Arg("value").Is<std::complex<double>>()) self.Takes(kComplexDtypes, "can't store a complex value");
  ReturnLike(call, self, self->dtype);
}

// take: elements of the flattened tensor.
void Take(Call& call) {
  const Operand self = call.In("self"), index = call.In("index").Takes(kLongIndex);
  if (IsKnownEmpty(self) && !IsKnownEmpty(index))
    Fail(ErrorClass::kIndexOutOfRange, Format("{} can't take elements of an empty tensor", OpName(call)));
  ReturnContiguous(call, index->size_span(), self->dtype);
}

void Put(Call& call) {
  const Operand self = call.In("self"), index = call.In("index").Takes(kLongIndex), source = call.In("source");
  self.SameDtypeAs(source);
  index.NumelIs(Numel(source->size_span()), {"takes as many elements as indices, but got {} for {}", source->sizes});
  ReturnLike(call, self, self->dtype);
}

void RequireFlatView(const Call& call, const TensorMeta& t) {
  if (!ComputeViewStrides(t, Dims{Numel(t.size_span())}))
    Fail(ErrorClass::kViewError,
        Format("{} without a dim views its tensors flat, which the strides {} of shape {} forbid", OpName(call),
            t.strides, t.sizes));
}

void TakeFlat(Call& call, const Operand& self, const Operand& indices) {
  RequireFlatView(call, self);
  RequireFlatView(call, indices);
  ReturnContiguous(call, Dims{Numel(indices->size_span())}, self->dtype);
}

// Broadcasts self and the indices but for the dimension, then gathers.
void TakeAlongDim(Call& call) {
  const Operand self = call.In("self"), indices = call.In("indices");
  const bool is_flat = call.IsNone("dim");
  indices.Takes(is_flat ? kIndexDtype.dtypes : ScalarType::Long, "takes int64 indices, not {}");
  if (is_flat) return TakeFlat(call, self, indices);
  if (self->rank() != indices->rank()) RequireSameRank(call, indices, self, "self");
  const int64_t dim = call.WrappedDim("dim", self);
  Dims sizes = self->sizes;
  if (self->rank() > 0) sizes[dim] = indices->sizes[dim];
  ReturnContiguous(call, BroadcastSizes(sizes, indices->size_span()), self->dtype);
}

void OneHot(Call& call) {
  const Operand self = call.In("self");
  const int64_t classes = call.Int("num_classes");
  self.Takes(ScalarType::Long,
      "takes int64 class numbers, not {}: one_hot is only applicable to index tensor of type LongTensor");
  RequireValue(call, !IsKnownEmpty(self) || classes > 0, "can't infer the number of classes from an empty tensor");
  if (classes == -1) DataDependent(call);
  RequireValue(call, classes >= 1, {"takes a positive number of classes, not {}", classes});
  Dims sizes = self->sizes;
  sizes.push_back(classes);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void Triangle(Call& call) {
  call.In("self").RankAtLeast(2, "got shape {}: input tensor must have at least 2 dimensions");
  ReturnDenseSelf(call);
}

// ---- repeat_interleave

// The sum of the repeats: output_size where it is given, else data.
Dim TotalRepeats(Call& call, const Tensor& repeats, const std::optional<Dim>& output_size) {
  if (output_size) return *output_size;
  const std::vector<Value>* values = repeats.KnownValue();
  if (!values) return UnbackedSize(call);
  Dim total = 0;
  for (const Value& v : *values)
    if (auto d = v.TryGet<Dim>()) total += *d;
  return total;
}

Operand RepeatsOf(const Call& call) {
  const Operand repeats = call.In("repeats");
  return repeats.RankAtMost(1, "takes repeats of at most 1 dimension, but got {}").Takes(kIndexDtype);
}

void RepeatInterleave(Call& call) {
  call.In("repeats").Rank(1);
  const Operand repeats = RepeatsOf(call);
  ReturnContiguous(call, Dims{TotalRepeats(call, repeats.tensor(), call.OptionalDim("output_size"))}, repeats->dtype);
}

// self's sizes with that of `dim` replaced. Without a dim self is flattened.
Dims RepeatedSizes(const TensorMeta& self, std::optional<int64_t> dim, Dim size) {
  if (!dim || self.rank() == 0) return {size};
  Dims sizes = self.sizes;
  sizes[WrapDim(*dim, self.rank())] = size;
  return sizes;
}

Dim LengthToRepeat(const TensorMeta& self, std::optional<int64_t> dim) {
  return dim ? SizeAt(self, WrapDim(*dim, self.rank())) : Numel(self.size_span());
}

void RepeatInterleaveSelf(Call& call) {
  const Operand self = call.In("self");
  const auto dim = call.OptionalInt("dim");
  const Operand repeats = RepeatsOf(call);
  const Dim length = LengthToRepeat(self, dim);
  const bool one_for_all = repeats->rank() == 0 || GuardOrFalse(Eq(repeats->sizes[0], 1));
  RequireShape(call, one_for_all || Expect(Eq(repeats->sizes[0], length)),
      {"takes as many repeats as {}, but got {}", length, repeats->sizes});
  const auto output_size = call.OptionalDim("output_size");
  Dim total = TotalRepeats(call, repeats.tensor(), output_size);
  // Known repeats count for each of the elements.
  if (one_for_all && !output_size && repeats.tensor().KnownValue()) total *= length;
  ReturnContiguous(call, RepeatedSizes(self, dim, total), self->dtype);
}

void RepeatInterleaveInt(Call& call) {
  const Operand self = call.In("self");
  const auto dim = call.OptionalInt("dim");
  const Dim repeats = call.SizeAtLeast("repeats", 0, "takes no {} repeats: repeats must be non-negative");
  const Dim total = LengthToRepeat(self, dim) * repeats;
  if (const auto size = call.OptionalDim("output_size"))
    RequireValue(call, Expect(Eq(*size, total)), {"is given the output_size {}, but repeats to {}", *size, total});
  ReturnContiguous(call, RepeatedSizes(self, dim, total), self->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::gather", Gather, ReadsWritten::kNothingInOut},
    {"aten::gather_backward", GatherBackward, Devices::kAny},
    {"aten::scatter.src", Scatter, ReadsWritten::kNothingInplace},
    {"aten::scatter.value", Scatter, ReadsWritten::kNothingInplace},
    {"aten::scatter.reduce", Scatter, ReadsWritten::kNothingInplace},
    {"aten::scatter.value_reduce", Scatter, ReadsWritten::kNothingInplace},
    {"aten::scatter_add", Scatter, ReadsWritten::kNothingInplace},
    {"aten::scatter_reduce.two", ScatterReduce, ReadsWritten::kNothingInplace},
    {"aten::index_select", IndexSelect, ReadsWritten::kNothingInOut},
    {"aten::index_select_backward", IndexSelectBackward},
    {"aten::index_add", IndexAdd, ReadsWritten::kNothingInplace},
    {"aten::index_reduce", IndexAdd, ReadsWritten::kNothingInplace},
    {"aten::index_copy", IndexCopy, ReadsWritten::kNothingInplace},
    {"aten::index_fill.int_Scalar", IndexFill, Overlap::kAllowed | ReadsWritten::kNothingInplace},
    {"aten::index_fill.int_Tensor", IndexFill, Overlap::kAllowed | ReadsWritten::kNothingInplace},
    {"aten::take", Take, ReadsWritten::kNothingInOut},
    {"aten::take_along_dim", TakeAlongDim, AutocastParts::kNone | ReadsWritten::kNothingInOut},
    {"aten::put", Put, ReadsWritten::kNothingInplace},
    {"aten::one_hot", OneHot},
    {"aten::tril", Triangle, Overlap::kAllowed},
    {"aten::triu", Triangle, Overlap::kAllowed},
    {"aten::repeat_interleave.Tensor", RepeatInterleave},
    {"aten::repeat_interleave.self_Tensor", RepeatInterleaveSelf, Devices::kSame},
    {"aten::repeat_interleave.self_int", RepeatInterleaveInt, AutocastParts::kNone},
};

}  // namespace

RuleRows GatherRules() { return kRows; }

}  // namespace fakeprop::rules
