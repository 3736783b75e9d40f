// Selection and replacement along one dimension: gather, scatter, index_select, index_add, take, embedding.
// Source: aten/src/ATen/native/TensorAdvancedIndexing.cpp, ScatterGatherChecks.h, Embedding.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/unbacked_results.h"

namespace fakeprop::rules {
namespace {

int64_t RankOfAtLeastOne(const TensorMeta& t) { return std::max<int64_t>(t.rank(), 1); }

void RequireSameRank(const Call& call, const TensorMeta& index, const TensorMeta& other, std::string_view name) {
  if (RankOfAtLeastOne(index) != RankOfAtLeastOne(other))
    FailShape(call, "takes an index of as many dimensions as " + std::string(name) + ", but got " +
                        ToString(index.size_span()) + " for " + ToString(other.size_span()));
}

// The index is no larger than `other`, apart from dimension `except`.
void RequireNoLarger(
    const Call& call, const TensorMeta& index, const TensorMeta& other, int64_t except, std::string_view name) {
  RequireSameRank(call, index, other, name);
  for (int64_t d = 0; d < RankOfAtLeastOne(other); ++d) {
    if (d == except || Expect(Le(SizeAt(index, d), SizeAt(other, d)))) continue;
    FailShape(call, "takes an index of shape " + ToString(index.size_span()) + " no larger than " + std::string(name) +
                        " of shape " + ToString(other.size_span()) + " at dimension " + std::to_string(d));
  }
}

void Gather(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& index = call.Meta(2);
  const int64_t dim = WrapDim(call.Int(1), self.rank());
  if (!IsKnownEmpty(index)) {
    RequireIndexDtype(call, index);
    RequireNoLarger(call, index, self, dim, "self");
  }
  ReturnContiguous(call, index.size_span(), self.dtype);
}

// gather's gradient, scattered into zeros of self's shape.
void GatherBackward(Call& call) {
  const TensorMeta& self = call.Meta(1);
  const TensorMeta& index = call.Meta(3);
  RequireDeviceOfFirst(call, {0, 3});  // only self's sizes count
  RequireIndexDtype(call, index);
  if (!IsKnownEmpty(index)) {
    RequireNoLarger(call, index, self, WrapDim(call.Int(2), self.rank()), "self");
    RequireNoLarger(call, index, call.Meta(0), -1, "the gradient");
  }
  ReturnContiguous(call, self.size_span(), call.Meta(0).dtype);
}

void RequireReduce(const Call& call, std::initializer_list<std::string_view> allowed) {
  const Value* reduce = call.TryArg("reduce");
  if (!reduce) return;
  const std::string_view name = call.String("reduce");
  if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
    FailValue(call, "has no reduction '" + std::string(name) + "'");
}

void CheckScatter(const Call& call) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& index = call.Meta(2);
  const int64_t dim = WrapDim(call.Int(1), self.rank());
  const Tensor* src = call.Arg(3).TryTensor();
  if (src) RequireSameDtype(call, 0, 3);
  if (IsKnownEmpty(index)) return;
  RequireIndexDtype(call, index);
  RequireNoLarger(call, index, self, dim, "self");
  if (src) RequireNoLarger(call, index, src->meta, -1, "src");
}

// scatter, scatter_add: a dense copy of self.
void Scatter(Call& call) {
  CheckScatter(call);
  RequireReduce(call, {"add", "multiply"});
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

void ScatterReduce(Call& call) {
  CheckScatter(call);
  RequireReduce(call, {"sum", "prod", "mean", "amax", "amin"});
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

void RequireVectorIndex(const Call& call, const TensorMeta& index) {
  if (index.rank() > 1) FailShape(call, "takes an index of 1 dimension, but got shape " + ToString(index.size_span()));
}

void IndexSelect(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& index = call.Meta(2);
  const int64_t dim = WrapDim(call.Int(1), self.rank());
  RequireVectorIndex(call, index);
  RequireIndexDtype(call, index);
  Dims sizes = self.sizes;
  if (self.rank() > 0) sizes[dim] = Numel(index.size_span());
  ReturnContiguous(call, sizes, self.dtype);
}

// index_select's gradient, added into zeros of these sizes.
void IndexSelectBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  const Dims sizes = call.DimList(1);
  const int64_t dim = WrapDim(call.Int(2), static_cast<int64_t>(sizes.size()));
  RequireVectorIndex(call, call.Meta(3));
  RequireIndexDtype(call, call.Meta(3));
  if (grad.rank() != static_cast<int64_t>(sizes.size())) RequireRank(call, 0, static_cast<int64_t>(sizes.size()));
  for (int64_t d = 0; d < grad.rank(); ++d)
    if (d != dim && !Expect(Eq(grad.sizes[d], sizes[d])))
      FailShape(call,
          "takes a gradient of slices of " + ToString(DimSpan(sizes)) + ", but got " + ToString(grad.size_span()));
  const Dim count = Numel(call.Meta(3).size_span());
  if (dim >= RankOfAtLeastOne(grad))
    Fail(ErrorClass::kIndexOutOfRange,
        "a gradient " + ToString(grad.size_span()) + " has no dimension " + std::to_string(dim));
  if (!Expect(Eq(SizeAt(grad, dim), count)))
    FailShape(call, "takes a gradient with " + count.ToString() + " slices, but got " + ToString(grad.size_span()));
  ReturnContiguous(call, sizes, grad.dtype);
}

// The source has as many slices as the index has entries, and self's other sizes.
void RequireSlices(const Call& call, int64_t dim) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& index = call.Meta(2);
  const TensorMeta& source = call.Meta(3);
  RequireVectorIndex(call, index);
  RequireSameDtype(call, 0, 3);
  if (source.device != self.device || index.device != self.device)
    Fail(ErrorClass::kDeviceMismatch, OpName(call) + " takes self, index and source on one device",
        {&call.TensorArg(0), &call.TensorArg(2), &call.TensorArg(3)});
  const Dim count = Numel(index.size_span());
  bool fits = source.rank() == 0 ? Expect(Eq(count, 1)) : RankOfAtLeastOne(self) == source.rank();
  for (int64_t d = 0; fits && d < source.rank(); ++d)
    fits = Expect(Eq(source.sizes[d], d == dim ? count : SizeAt(self, d)));
  if (!fits)
    FailShape(call, "takes a source of " + count.ToString() + " slices along dimension " + std::to_string(dim) +
                        " of " + ToString(self.size_span()) + ", but got " + ToString(source.size_span()));
}

void IndexAdd(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t dim = WrapDim(call.Int(1), self.rank());
  RequireIndexDtype(call, call.Meta(2));
  RequireSlices(call, dim);
  if (call.Meta(3).rank() != self.rank()) RequireRank(call, 3, self.rank());
  RequireReduce(call, {"prod", "mean", "amax", "amin"});
  ReturnContiguous(call, self.size_span(), self.dtype);
}

void IndexCopy(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t dim = WrapDim(call.Int(1), self.rank());
  if (call.Meta(2).dtype != ScalarType::Long) FailDtype(call, "takes an int64 index");
  RequireSlices(call, dim);
  ReturnContiguous(call, self.size_span(), self.dtype);
}

void IndexFill(Call& call) {
  const TensorMeta& self = call.Meta(0);
  WrapDim(call.Int(1), self.rank());
  if (call.Meta(2).dtype != ScalarType::Long) FailDtype(call, "takes an int64 index");
  RequireVectorIndex(call, call.Meta(2));
  const Tensor* value = call.Arg(3).TryTensor();
  if (value && value->meta.rank() > 0) FailShape(call, "takes a 0-dim value, not " + ToString(value->meta.size_span()));
  if (call.Arg(3).Is<std::complex<double>>() && !IsComplex(self.dtype)) FailDtype(call, "can't store a complex value");
  ReturnLike(call, self, self.dtype);
}

// take: elements of the flattened tensor.
void Take(Call& call) {
  if (call.Meta(1).dtype != ScalarType::Long) FailDtype(call, "takes an int64 index");
  if (IsKnownEmpty(call.Meta(0)) && !IsKnownEmpty(call.Meta(1)))
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " can't take elements of an empty tensor");
  ReturnContiguous(call, call.Meta(1).size_span(), call.Meta(0).dtype);
}

void Put(Call& call) {
  if (call.Meta(1).dtype != ScalarType::Long) FailDtype(call, "takes an int64 index");
  RequireSameDtype(call, 0, 2);
  if (!HasNumel(call.Meta(1), Numel(call.Meta(2).size_span())))
    FailShape(call, "takes as many elements as indices, but got " + ToString(call.Meta(2).size_span()) + " for " +
                        ToString(call.Meta(1).size_span()));
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

void RequireFlatView(const Call& call, const TensorMeta& t) {
  if (!ComputeViewStrides(t, Dims{Numel(t.size_span())}))
    Fail(ErrorClass::kViewError, OpName(call) + " without a dim views its tensors flat, which the strides " +
                                     ToString(t.stride_span()) + " of shape " + ToString(t.size_span()) + " forbid");
}

// Broadcasts self and the indices but for the dimension, then gathers.
void TakeAlongDim(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& indices = call.Meta(1);
  const bool fits = indices.dtype == ScalarType::Long || (call.IsNone(2) && indices.dtype == ScalarType::Int);
  if (!fits) FailDtype(call, "takes int64 indices, not " + std::string(DtypeName(indices.dtype)));
  if (call.IsNone(2)) {
    RequireFlatView(call, self);
    RequireFlatView(call, indices);
    return void(ReturnContiguous(call, Dims{Numel(indices.size_span())}, self.dtype));
  }
  if (self.rank() != indices.rank()) RequireSameRank(call, indices, self, "self");
  const int64_t dim = WrapDim(call.Int(2), self.rank());
  Dims sizes = self.sizes;
  if (self.rank() > 0) sizes[dim] = indices.sizes[dim];
  ReturnContiguous(call, BroadcastSizes(sizes, indices.size_span()), self.dtype);
}

void OneHot(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t classes = call.Int(1);
  if (self.dtype != ScalarType::Long)
    FailDtype(call, "takes int64 class numbers, not " + std::string(DtypeName(self.dtype)));
  if (IsKnownEmpty(self) && classes <= 0) FailValue(call, "can't infer the number of classes from an empty tensor");
  if (classes == -1) DataDependent(call);
  if (classes < 1) FailValue(call, "takes a positive number of classes, not " + std::to_string(classes));
  Dims sizes = self.sizes;
  sizes.push_back(classes);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void Triangle(Call& call) {
  const TensorMeta& self = call.Meta(0);
  if (self.rank() < 2) FailShape(call, "takes at least 2 dimensions, but got shape " + ToString(self.size_span()));
  ReturnContiguous(call, self.size_span(), self.dtype);
}

// ---- repeat_interleave

// The sum of the repeats: said by output_size, or by data.
Dim TotalRepeats(Call& call, const Tensor& repeats, const std::optional<Dim>& output_size) {
  if (output_size) return *output_size;
  const std::vector<Value>* values = repeats.KnownValue();
  if (!values) return UnbackedSize(call);
  Dim total = 0;
  for (const Value& v : *values)
    if (auto d = v.TryGet<Dim>()) total += *d;
  return total;
}

void RequireRepeats(const Call& call, const TensorMeta& repeats) {
  if (repeats.rank() > 1)
    FailShape(call, "takes repeats of at most 1 dimension, but got " + ToString(repeats.size_span()));
  RequireIndexDtype(call, repeats);
}

void RepeatInterleave(Call& call) {
  RequireRank(call, 0, 1);
  RequireRepeats(call, call.Meta(0));
  ReturnContiguous(call, Dims{TotalRepeats(call, call.TensorArg(0), call.OptionalDim(1))}, call.Meta(0).dtype);
}

// self's sizes with `dim` replaced; without a dim self counts flattened.
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
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& repeats = call.Meta(1);
  const auto dim = call.OptionalInt(2);
  RequireRepeats(call, repeats);
  const Dim length = LengthToRepeat(self, dim);
  const bool one_for_all = repeats.rank() == 0 || GuardOrFalse(Eq(repeats.sizes[0], 1));
  if (!one_for_all && !Expect(Eq(repeats.sizes[0], length)))
    FailShape(call, "takes as many repeats as " + length.ToString() + ", but got " + ToString(repeats.size_span()));
  Dim total = TotalRepeats(call, call.TensorArg(1), call.OptionalDim(3));
  // What data says is said of the repeats expanded to the length.
  if (one_for_all && call.IsNone(3) && call.TensorArg(1).KnownValue()) total *= length;
  ReturnContiguous(call, RepeatedSizes(self, dim, total), self.dtype);
}

void RepeatInterleaveInt(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const auto dim = call.OptionalInt(2);
  if (!Expect(Ge(call.DimArg(1), 0))) FailValue(call, "takes repeats of at least 0, not " + call.DimArg(1).ToString());
  const Dim total = LengthToRepeat(self, dim) * call.DimArg(1);
  if (auto size = call.OptionalDim(3); size && !Expect(Eq(*size, total)))
    FailValue(call, "is given the output_size " + size->ToString() + ", but repeats to " + total.ToString());
  ReturnContiguous(call, RepeatedSizes(self, dim, total), self.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::gather", Gather},
    {"aten::gather_backward", GatherBackward, Devices::kAny},
    {"aten::scatter.src", Scatter},
    {"aten::scatter.value", Scatter},
    {"aten::scatter.reduce", Scatter},
    {"aten::scatter.value_reduce", Scatter},
    {"aten::scatter_add", Scatter},
    {"aten::scatter_reduce.two", ScatterReduce},
    {"aten::index_select", IndexSelect},
    {"aten::index_select_backward", IndexSelectBackward},
    {"aten::index_add", IndexAdd},
    {"aten::index_reduce", IndexAdd},
    {"aten::index_copy", IndexCopy},
    {"aten::index_fill.int_Scalar", IndexFill},
    {"aten::index_fill.int_Tensor", IndexFill},
    {"aten::take", Take},
    {"aten::take_along_dim", TakeAlongDim},
    {"aten::put", Put},
    {"aten::one_hot", OneHot},
    {"aten::tril", Triangle},
    {"aten::triu", Triangle},
    {"aten::repeat_interleave.Tensor", RepeatInterleave},
    {"aten::repeat_interleave.self_Tensor", RepeatInterleaveSelf, Devices::kSame},
    {"aten::repeat_interleave.self_int", RepeatInterleaveInt},
};

}  // namespace

RuleRows GatherRules() { return kRows; }

}  // namespace fakeprop::rules
