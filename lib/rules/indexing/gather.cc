// Selection and replacement along one dimension: gather, scatter, index_select, index_add, take, repeat_interleave.
// Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, ScatterGatherChecks.h, Embedding.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/out_facts.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

constexpr DtypeClass kLongIndex{ScalarType::Long, "takes an int64 index, not {}: expected a long tensor for index"};

int64_t RankOfAtLeastOne(const TensorMeta& t) { return std::max<int64_t>(t.rank(), 1); }

void RequireSameRank(const Call& call, const TensorMeta& index, const TensorMeta& other, std::string_view name) {
  RequireShape(call, RankOfAtLeastOne(index) == RankOfAtLeastOne(other),
      {"got {} for {}: index tensor must have the same number of dimensions as {} tensor", index.sizes, other.sizes,
          name});
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

// The index names places along `dim` of self, for each element of `src` if that is a tensor.
void RequireFitting(const Call& call, const TensorMeta& index, const TensorMeta& self, int64_t dim,
    const TensorMeta* src, std::string_view name = "src") {
  RequireNoLarger(call, index, self, dim, "self");
  if (src) RequireNoLarger(call, index, *src, -1, name);
}

// The index, and self's dimension.
struct Selection {
  explicit Selection(const Call& call)
      : self(call.In("self")), index(call.In("index")), dim(call.WrappedDim("dim", self)) {}

  Operand self, index;
  int64_t dim;
};

void Gather(Call& call) {
  const auto [self, index, dim] = Selection(call);
  if (!IsKnownEmpty(index)) {
    RequireSameRank(call, index.Takes(kIndexDtype), self, "input");
    RequireNoLarger(call, index, self, dim, "self");
  }
  ReturnContiguous(call, index, self->dtype);
}

// gather's gradient, scattered into zeros of self's shape.
void GatherBackward(Call& call) {
  const Operand grad = call.In("grad"), self = call.In("self"), index = call.In("index");
  index.SameDeviceAs(grad).Takes(kIndexDtype);  // only self's sizes count
  if (!IsKnownEmpty(index)) RequireFitting(call, index, self, call.WrappedDim("dim", self), &*grad, "the gradient");
  ReturnContiguous(call, self, grad->dtype);
}

// The gradient of what was selected along a dimension (max.dim, sort), scattered into zeros of `sizes`.
void ValueSelectingReductionBackward(Call& call) {
  const Operand grad = call.In("grad");
  const Dims sizes = call.DimList("sizes");
  TensorMeta values = grad, index = call.In("indices").Takes(kIndexDtype);
  if (!call.Bool("keepdim") && !sizes.empty())
    for (TensorMeta* t : {&values, &index}) *t = Unsqueezed(*t, WrapDim(call.Int("dim"), t->rank() + 1));
  const TensorMeta self = NewMeta(call, sizes, grad->dtype);
  RequireFitting(call, index, self, call.WrappedDim("dim", self), &values);
  call.ReturnNew(self);
}

// The gradient of cummax and cummin, added up where the values came from.
void CumulativeExtremumBackward(Call& call) {
  const Operand grad = call.In("grad"), input = call.In("input"), index = call.In("indices");
  if (IsKnownEmpty(input)) return void(call.ReturnArgument(input.tensor()));
  const int64_t dim = call.WrappedDim("dim", input);
  input.SameDtypeAs(grad);
  RequireFitting(call, index.Takes(kIndexDtype), input, dim, &*grad);
  ReturnContiguous(call, input);
}

// The reductions of scatter, scatter_reduce and index_reduce.
constexpr std::string_view kOfScatter[] = {"add", "multiply"};
constexpr std::string_view kOfScatterReduce[] = {"sum", "prod", "mean", "amax", "amin"};
constexpr std::string_view kOfIndexReduce[] = {"prod", "mean", "amax", "amin"};

template <const auto& kAllowed>
void RequireReduce(const Call& call) {
  RequireOneOf(call, "reduce", kAllowed, "has no reduction `{}`");
}

// What the cpu's kernels of scatter_reduce do not compute; but for a mean, which ends in a division, if there is
// something to reduce.
void RequireReducingKernel(const Call& call) {
  if (!call.OnCpu()) return;
  const std::string_view reduce = call.String("reduce");
  if (reduce == "mean") call.In("self").Takes(kNotBool);
  if (IsKnownEmpty(call.In("index"))) return;
  if (reduce == "amax" || reduce == "amin") call.In("self").Takes(kNotComplex);
}

constexpr std::string_view kNoMeanText = "has no mean of {}: \"div_cpu\" not implemented for it";

// The kernel for vectors, and the one that starts anew, know real numbers. Others go slice by slice, by elementwise
// kernels. Source: index_reduce_func_impl.
void RequireIndexReduceKernel(const Call& call) {
  const Operand self = call.In("self");
  if (!call.OnCpu()) return;
  if (self->rank() < 2 || !call.Bool("include_self")) return void(self.Takes(kReal));
  const std::string_view reduce = call.String("reduce");
  if (reduce == "mean") self.Takes(~Dtypes({ScalarType::Bool, ScalarType::ComplexHalf}), kNoMeanText);
  if (reduce == "amax" || reduce == "amin") self.Takes(kNotComplex);
}

void CheckScatter(const Call& call) {
  const auto [self, index, dim] = Selection(call);
  // A tensor given for `value` is held to the same.
  const Operand src = call.TryIn(call.Has("src") ? ArgumentName("src") : "value");
  src.SameDtypeAs(self, {"writes {tensor} to {}: expected self.dtype to be equal to src.dtype", *self});
  if (!IsKnownEmpty(index)) RequireFitting(call, index.Takes(kIndexDtype), self, dim, src.TryMeta());
}

template <const auto& kAllowed>
constexpr Rule Scatter = InOrder<CheckScatter, RequireReduce<kAllowed>, ReturnContiguousSelf>;

// At most one dimension: a number counts as a vector of one.
Operand RequireVectorIndex(const Operand& index) {
  return index.RankAtMost(1, "takes an index of shape {}: index is supposed to be a vector");
}

// The cpu's kernel looks whether there is anything to select. Source: index_select_out_cpu_.
void RequireSlices(const Call& call, const Operand& self, int64_t dim, Dim count) {
  const bool selects_nothing = Known(Eq(count, 0)) || !Known(Eq(SizeAt(self, dim), 0));
  RequireIndex(call, !self->device.is_cpu() || selects_nothing,
      {"selects {} of no slices of {}: index_select(): self indexing axis dim should be positive", count, *self});
}

void IndexSelect(Call& call) {
  const auto [self, index, dim] = Selection(call);
  RequireVectorIndex(index).Takes(kIndexDtype);
  const Dim count = index.Numel();
  RequireIndex(call, self->rank() > 0 || !self->device.is_cpu() || Expect(Eq(count, 1)),
      {"takes one index for a 0-dim tensor: index to scalar can have only 1 value, got {} value(s)", count});
  RequireSlices(call, self, dim, count);
  ReturnContiguous(call, WithSize(self->sizes, dim, count), self->dtype);
}

// A slice of the gradient for each of `count` indices.
void CheckSlicesOfGradient(const Operand& grad, const Dims& sizes, int64_t dim, Dim count) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  grad.Rank(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim) grad.Size(d, sizes[d]);
  RequireIndex(dim < RankOfAtLeastOne(grad), {"a gradient {} has no dimension {}", grad->sizes, dim});
  grad.Require(Eq(SizeAt(grad, dim), count), {"takes a gradient with {} slices, but got {}", count});
}

// index_select's gradient, added into zeros of these sizes.
void IndexSelectBackward(Call& call) {
  const Operand grad = call.In("grad"), index = call.In("index");
  const Dims sizes = call.DimList("self_sizes");
  const int64_t dim = WrapDim(call.Int("dim"), static_cast<int64_t>(sizes.size()));
  RequireVectorIndex(index).Takes(kIndexDtype);
  CheckSlicesOfGradient(grad, sizes, dim, index.Numel());
  ReturnContiguous(call, sizes, grad->dtype);
}

// The source has as many slices as the index has entries, and self's other sizes.
bool FitsSlices(const TensorMeta& self, const TensorMeta& source, int64_t dim, Dim count) {
  bool fits = source.rank() == 0 ? Expect(Eq(count, 1)) : RankOfAtLeastOne(self) == source.rank();
  for (int64_t d = 0; fits && d < source.rank(); ++d)
    fits = Expect(Eq(source.sizes[d], d == dim ? count : SizeAt(self, d)));
  return fits;
}

Operand RequireSlices(const Call& call, const Selection& selection) {
  const auto& [self, index, dim] = selection;
  const Operand source = call.In("source");
  RequireVectorIndex(index);
  self.SameDtypeAs(source);
  if (source->device != self->device || index->device != self->device)
    FailAs(call, ErrorClass::kDeviceMismatch, "takes self, index and source on one device");
  const Dim count = index.Numel();
  return source.Require(FitsSlices(self, source, dim, count),
      {"adds or copies slices of {} to {} along dimension {}: number of indices ({}) should be equal to "
       "source.size(dim)",
          source->sizes, self->sizes, dim, count});
}

void CheckIndexAdd(const Call& call) {
  const Selection selection(call);
  selection.index.Takes(kIndexDtype);
  RequireSlices(call, selection).Rank(selection.self->rank());
}

void CheckIndexCopy(const Call& call) {
  const Selection selection(call);
  selection.index.Takes(kLongIndex);
  RequireSlices(call, selection);
}

constexpr Rule IndexAdd = InOrder<CheckIndexAdd, ReturnContiguousSelf>;
constexpr Rule IndexReduce =
    InOrder<CheckIndexAdd, RequireReduce<kOfIndexReduce>, RequireIndexReduceKernel, ReturnContiguousSelf>;
constexpr Rule ScatterReduce =
    InOrder<CheckScatter, RequireReduce<kOfScatterReduce>, RequireReducingKernel, ReturnContiguousSelf>;
constexpr Rule IndexCopy = InOrder<CheckIndexCopy, ReturnContiguousSelf>;

void IndexFill(Call& call) {
  const auto [self, index, dim] = Selection(call);
  RequireVectorIndex(index.Takes(kLongIndex));
  const Operand value = call.TryIn("value").Rank(0);
  if (call.Arg("value").Is<std::complex<double>>() || (value && IsComplex(value->dtype)))
    self.Takes(kComplexDtypes, "can't store a complex value");
  ReturnLike(call, self);
}

// take: elements of the flattened tensor.
void Take(Call& call) {
  const Operand self = call.In("self"), index = call.In("index").Takes(kLongIndex);
  RequireIndex(call, !IsKnownEmpty(self) || IsKnownEmpty(index), "can't take elements of an empty tensor");
  ReturnContiguous(call, index, self->dtype);
}

void Put(Call& call) {
  const Operand self = call.In("self"), index = call.In("index").Takes(kLongIndex), source = call.In("source");
  self.SameDtypeAs(source);
  index.NumelIs(source.Numel(), {"takes as many elements as indices, but got {} for {}", source->sizes});
  if (call.OnCpu())
    RequireIndex(
        call, Or(Ne(self.Numel(), 0), Eq(index.Numel(), 0)), {"tried to put elements into an empty tensor, {}", *self});
  ReturnLike(call, self);
}

void RequireFlatView(const Call& call, const TensorMeta& t) {
  if (!ComputeViewStrides(t, Dims{Numel(t.size_span())}))
    FailAs(call, ErrorClass::kViewError,
        {"without a dim views its tensors flat, which the strides {} of shape {} forbid", t.strides, t.sizes});
}

void TakeFlat(Call& call, const Operand& self, const Operand& indices) {
  for (const Operand& t : {self, indices}) RequireFlatView(call, t);
  ReturnContiguous(call, {indices.Numel()}, self->dtype);
}

// Broadcasts self and the indices but for the dimension, then gathers.
void TakeAlongDim(Call& call) {
  const Operand self = call.In("self"), indices = call.In("indices");
  const bool is_flat = call.IsNone("dim");
  indices.Takes(is_flat ? kIndexDtype.dtypes : ScalarType::Long, "takes int64 indices, not {}");
  if (is_flat) return TakeFlat(call, self, indices);
  if (self->rank() != indices->rank()) RequireSameRank(call, indices, self, "self");
  const int64_t dim = call.WrappedDim("dim", self);
  const Dims sizes = WithSize(self->sizes, dim, SizeAt(indices, dim));
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
  ReturnContiguous(call, Appended(self->sizes, classes), ScalarType::Long);
}

void RequireMatrices(const Call& call) {
  call.In("self").RankAtLeast(2, "got shape {}: input tensor must have at least 2 dimensions");
}

// Whether the matrices lie one behind the other. Batches of at most one dimension can lie anyhow.
bool IsBatchContiguous(const TensorMeta& m) {
  if (m.rank() <= 3 || IsContiguous(m)) return true;
  Dim expected = m.sizes[m.rank() - 1] * m.sizes[m.rank() - 2];
  for (int64_t i = m.rank() - 3; i >= 0; --i) {
    if (i == 0 && (GuardOrFalse(Eq(m.strides[i], 0)) || GuardOrFalse(Eq(m.sizes[i], 1)))) continue;
    if (!GuardOrTrue(Eq(expected, m.strides[i]))) return false;
    expected = expected * m.sizes[i];
  }
  return true;
}

// In place the kernel writes other matrices to a tensor of their own, and copies.
// Source: checkTrilTriuBatchContiguous in aten/src/ATen/native/LinearAlgebraUtils.h (torch 2.13).
Overlap OverlapOfTriangle(const Call& form) {
  const bool copies = form.schema().IsInplace() && !IsBatchContiguous(form.TensorArg(0).meta);
  return copies ? Overlap::kRefused : Overlap::kAllowed;
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
  return call.In("repeats").RankAtMost(1, "takes repeats of at most 1 dimension, but got {}").Takes(kIndexDtype);
}

void RepeatInterleave(Call& call) {
  call.In("repeats").Rank(1);
  const Operand repeats = RepeatsOf(call);
  ReturnContiguous(call, {TotalRepeats(call, repeats.tensor(), call.OptionalDim("output_size"))}, repeats->dtype);
}

// self's sizes with that of `dim` replaced. Without a dim self is flattened.
Dims RepeatedSizes(const TensorMeta& self, std::optional<int64_t> dim, Dim size) {
  return dim && self.rank() > 0 ? WithSize(self.sizes, WrapDim(*dim, self.rank()), size) : Dims{size};
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
  if (!one_for_all) repeats.Size(0, length, {"takes as many repeats as {}, but got {}", length});
  const auto output_size = call.OptionalDim("output_size");
  Dim total = TotalRepeats(call, repeats.tensor(), output_size);
  // Known repeats count for each of the elements.
  if (one_for_all && !output_size && repeats.tensor().KnownValue()) total *= length;
  // Of nothing there is nothing, whatever output_size says.
  if (GuardOrFalse(Eq(length, 0))) total = 0;
  ReturnContiguous(call, RepeatedSizes(self, dim, total), self->dtype);
}

void RepeatInterleaveInt(Call& call) {
  const Operand self = call.In("self");
  const auto dim = call.OptionalInt("dim");
  const Dim repeats = call.SizeAtLeast("repeats", 0, "takes no {} repeats: repeats must be non-negative");
  const Dim total = LengthToRepeat(self, dim) * repeats;
  if (const auto size = call.OptionalDim("output_size"))
    RequireValue(call, Eq(*size, total), {"is given the output_size {}, but repeats to {}", *size, total});
  ReturnContiguous(call, RepeatedSizes(self, dim, total), self->dtype);
}

constexpr OperatorFacts kScatters = ReadsWritten::kNothingInplace | Overlap::kRefusedBeforeResize;

constexpr RuleRow kRows[] = {
    {"aten::gather", Gather, ReadsWritten::kIndexInOut | Reads::kSelected},
    {"aten::gather_backward", GatherBackward, Devices::kAny},
    {"aten::value_selecting_reduction_backward", ValueSelectingReductionBackward},
    {"aten::cummaxmin_backward", CumulativeExtremumBackward},
    {"aten::scatter.src", Scatter<kOfScatter>, kScatters},
    {"aten::scatter.value", Scatter<kOfScatter>, kScatters},
    {"aten::scatter.reduce", Scatter<kOfScatter>, kScatters},
    {"aten::scatter.value_reduce", Scatter<kOfScatter>, kScatters},
    {"aten::scatter_add", Scatter<kOfScatter>, kScatters},
    {"aten::scatter_reduce.two", ScatterReduce, kScatters},
    {"aten::index_select", IndexSelect, kSelects},
    {"aten::index_select_backward", IndexSelectBackward},
    {"aten::index_add", IndexAdd, ReadsWritten::kNothingInplace},
    {"aten::index_reduce", IndexReduce, ReadsWritten::kNothingInplace},
    {"aten::index_copy", IndexCopy, ReadsWritten::kNothingInplace},
    {"aten::index_fill.int_Scalar", IndexFill, Overlap::kAllowed | ReadsWritten::kNothingInplace},
    {"aten::index_fill.int_Tensor", IndexFill, Overlap::kAllowed | ReadsWritten::kNothingInplace},
    {"aten::take", Take, kSelects},
    {"aten::take_along_dim", TakeAlongDim, ReadsWritten::kNothingInOut | Reads::kSelected},
    {"aten::put", Put, ReadsWritten::kNothingInplace},
    {"aten::one_hot", InOrder<RequireDifferentiable<"self">, OneHot>},
    {"aten::tril", InOrder<RequireMatrices, ReturnContiguousSelf>, OverlapOfTriangle},
    {"aten::triu", InOrder<RequireMatrices, ReturnContiguousSelf>, OverlapOfTriangle},
    {"aten::repeat_interleave.Tensor", RepeatInterleave},
    {"aten::repeat_interleave.self_Tensor", RepeatInterleaveSelf, Devices::kSame},
    {"aten::repeat_interleave.self_int", InOrder<RepeatInterleaveInt, EndInView>},
};

}  // namespace

RuleRows GatherRules() { return kRows; }

}  // namespace fakeprop::rules
