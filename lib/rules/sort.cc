// Sorting, selection by rank, search and counting.
// Source: aten/src/ATen/native/Sorting.cpp, BucketizationUtils.h, Unique.cpp, SummaryOps.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/elementwise.h"
#include "lib/rules/families.h"
#include "lib/rules/results.h"
#include "lib/rules/shapes.h"
#include "lib/rules/unbacked.h"

namespace fakeprop {
namespace {

void ReturnSorted(Call& call, const TensorMeta& self) { ReturnLike(call, self, self.dtype); }

// sort: values and positions, both laid out as the operand, packed.
void Sort(Call& call) {
  const TensorMeta& self = call.Meta(0);
  WrapDim(call.Int(call.Index("dim")), self.rank());
  RequireNotComplex(call, self.dtype);
  ReturnSorted(call, self);
  ReturnLike(call, self, ScalarType::Long);
}

void ArgSort(Call& call) {
  const TensorMeta& self = call.Meta(0);
  WrapDim(call.Int(call.Index("dim")), self.rank());
  RequireNotComplex(call, self.dtype);
  ReturnLike(call, self, ScalarType::Long);
}

void SortFirstDim(Call& call) {
  const TensorMeta& self = call.Meta(0);
  WrapDim(0, self.rank());
  RequireNotComplex(call, self.dtype);
  ReturnSorted(call, self);
}

void TopK(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t dim = WrapDim(call.Int(2), self.rank());
  const Dim k = call.DimArg(1);
  if (!Expect(And(Ge(k, 0), Le(k, SizeAt(self, dim)))))
    FailValue(call, "selects " + k.ToString() + " of " + SizeAt(self, dim).ToString() + " elements");
  RequireNotComplex(call, self.dtype);
  if (self.dtype == ScalarType::Bool && self.device.is_cpu()) FailDtype(call, "takes no bool tensors on cpu");
  Dims sizes = self.sizes;
  if (self.rank() > 0) sizes[dim] = k;
  ReturnContiguous(call, sizes, self.dtype);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void ReturnPositions(Call& call, DimSpan sizes) {
  ReturnContiguous(call, sizes, NamedBool(call, "out_int32") ? ScalarType::Int : ScalarType::Long);
}

// `side` and `right` say the same thing twice.
void RequireOneSide(const Call& call) {
  const auto side = call.OptionalString(call.Index("side"));
  if (!side) return;
  if (*side != "left" && *side != "right")
    FailValue(call, "takes the side 'left' or 'right', not '" + std::string(*side) + "'");
  if (*side == "left" && NamedBool(call, "right"))
    FailValue(call, "is given the side 'left' and right=True, which are opposites");
}

void RequireSorter(const Call& call) {
  const Tensor* sorter = call.OptionalTensor(call.Index("sorter"));
  if (!sorter) return;
  if (sorter->meta.dtype != ScalarType::Long) FailDtype(call, "takes an int64 sorter");
  if (!ExpectSame(sorter->meta.size_span(), call.Meta(0).size_span()))
    FailShape(call, "takes a sorter of the sequence's shape " + ToString(call.Meta(0).size_span()) + ", not " +
                        ToString(sorter->meta.size_span()));
}

// The sequence has one dimension, or all but the last of the values'. Source: searchsorted_pre_check.
void RequireSearchable(const Call& call, const TensorMeta& sequence, const TensorMeta& values) {
  if (sequence.rank() == 0) FailShape(call, "takes a sorted sequence of at least 1 dimension");
  if (sequence.rank() == 1) return;
  bool fits = sequence.rank() == values.rank();
  for (int64_t d = 0; fits && d + 1 < sequence.rank(); ++d) fits = Expect(Eq(sequence.sizes[d], values.sizes[d]));
  if (!fits)
    FailShape(call, "takes a sequence of 1 dimension, or one whose sizes are the values' but for the last: got " +
                        ToString(sequence.size_span()) + " and " + ToString(values.size_span()));
}

void SearchSorted(Call& call) {
  RequireOneSide(call);
  RequireSorter(call);
  RequireSearchable(call, call.Meta(0), call.Meta(1));
  ReturnPositions(call, call.Meta(1).size_span());
}

void SearchSortedScalar(Call& call) {
  RequireOneSide(call);
  RequireSorter(call);
  if (call.Meta(0).rank() != 1) FailShape(call, "looks a number up in a sequence of 1 dimension only");
  ReturnPositions(call, {});
}

void Bucketize(Call& call) {
  RequireRank(call, 1, 1);
  RequireNotComplex(call, call.Meta(1).dtype);
  const Tensor* self = call.Arg(0).TryTensor();
  ReturnPositions(call, self ? self->meta.size_span() : DimSpan());
}

void Histc(Call& call) {
  const int64_t bins = call.Int(1);
  if (bins <= 0) FailValue(call, "takes a positive number of bins, not " + std::to_string(bins));
  if (call.device().is_cpu()) RequireFloat(call, call.Meta(0).dtype);
  RequireNotComplex(call, call.Meta(0).dtype);
  ReturnContiguous(call, Dims{bins}, call.Meta(0).dtype);
}

// Which elements are in a set: of the elements' shape. Source: check_for_unsupported_isin_dtype.
void IsIn(Call& call) {
  for (int i : {0, 1}) {
    const Tensor* t = call.Arg(i).TryTensor();
    if (t && (t->meta.dtype == ScalarType::Bool || IsComplex(t->meta.dtype)))
      FailDtype(call, "is not defined for " + std::string(DtypeName(t->meta.dtype)));
  }
  const Tensor* elements = call.Arg(0).TryTensor();
  if (!elements) return void(ReturnContiguous(call, {}, ScalarType::Bool));
  ReturnLike(call, elements->meta, ScalarType::Bool);
}

// ---- unique elements. Source: _unique in torch/_subclasses/fake_impls.py.

// How many there are: data, but where there is nothing to choose from.
Dim UniqueCount(Call& call, std::optional<int64_t> dim, Asked asked) {
  const TensorMeta& self = call.Meta(0);
  const Dim of = dim ? SizeAt(self, *dim) : Numel(self.size_span());
  if (IsKnownEmpty(self)) return 0;
  const std::optional<int64_t> most = of.TryNumber();
  return dim ? UnbackedSize(call, most) : UnbackedSize(call, call.TensorArg(0), asked, most);
}

// Where a size is 0 it has to be the dimension's own, and no other. Source: at::native _unique_dim_cpu_template.
void RequireRows(const Call& call, const TensorMeta& self, int64_t dim) {
  for (int64_t d = 0; d < self.rank(); ++d) {
    if (d != dim && Known(Eq(self.sizes[d], 0)))
      FailShape(call,
          "has no rows to tell apart along dimension " + std::to_string(dim) + " of " + ToString(self.size_span()));
  }
}

// (values, positions of each element among them, counts); what is not asked for is empty.
void ReturnUnique(Call& call, std::optional<int64_t> dim, bool inverse, bool counts, Asked asked) {
  const TensorMeta& self = call.Meta(0);
  if (dim) RequireRows(call, self, *dim);
  const Dim count = UniqueCount(call, dim, asked);
  Dims sizes = {count};
  if (dim && self.rank() > 0) {
    sizes = self.sizes;
    sizes[*dim] = count;
  }
  // On the cpu the kernel of one dimension gives all three.
  const bool all = dim && self.device.is_cpu();
  ReturnContiguous(call, sizes, self.dtype);
  const Dims positions = dim ? Dims{SizeAt(self, *dim)} : self.sizes;
  ReturnContiguous(call, inverse || all ? positions : Dims{0}, ScalarType::Long);
  ReturnContiguous(call, counts || all ? Dims{count} : Dims{0}, ScalarType::Long);
}

// (self, sorted, return_inverse, return_counts)
void Unique2(Call& call) { ReturnUnique(call, std::nullopt, call.Bool(2), call.Bool(3), Asked::kUnique); }

// (self, sorted, return_inverse): without counts.
void Unique(Call& call) {
  ReturnUnique(call, std::nullopt, call.Bool(2), false, Asked::kUnique);
  call.effects().outputs.pop_back();
}

// (self, dim, sorted, return_inverse, return_counts)
void UniqueDim(Call& call) {
  const int64_t dim = WrapDim(call.Int(1), call.Meta(0).rank());
  ReturnUnique(call, dim, call.Bool(3), call.Bool(4), Asked::kUnique);
}

// (self, dim, return_inverse, return_counts)
void UniqueDimConsecutive(Call& call) {
  const int64_t dim = WrapDim(call.Int(1), call.Meta(0).rank());
  ReturnUnique(call, dim, call.Bool(2), call.Bool(3), Asked::kUniqueConsecutive);
}

// (self, return_inverse, return_counts, dim)
void UniqueConsecutive(Call& call) {
  std::optional<int64_t> dim = call.OptionalInt(3);
  if (dim) dim = WrapDim(*dim, call.Meta(0).rank());
  ReturnUnique(call, dim, call.Bool(1), call.Bool(2), Asked::kUniqueConsecutive);
}

// (self, weights, minlength): how often each number stands there, up to the greatest.
void BinCount(Call& call) {
  RequireRank(call, 0, 1);
  const Tensor* weights = call.OptionalTensor(1);
  const ScalarType dtype = call.Meta(0).dtype;
  if (!IsIntegral(dtype) || dtype == ScalarType::Bool)
    FailDtype(call, "counts integers, not " + std::string(DtypeName(dtype)));
  if (weights) RequireSameSizes(call, 0, 1);
  const Dim least = call.DimArg(2);
  if (!Expect(Ge(least, 0))) FailValue(call, "takes a minlength of at least 0, not " + least.ToString());
  const Dim size = UnbackedSize(call);
  Expect(Ge(size, least));
  const bool is_float = weights && weights->meta.dtype == ScalarType::Float;
  ReturnContiguous(call, Dims{size}, !weights ? ScalarType::Long : is_float ? ScalarType::Float : ScalarType::Double);
}

constexpr RuleRow kRows[] = {
    {"aten::sort", Sort},
    {"aten::sort.stable", Sort},
    {"aten::argsort", ArgSort},
    {"aten::argsort.stable", ArgSort},
    {"aten::msort", SortFirstDim},
    {"aten::topk", TopK},
    {"aten::searchsorted.Tensor", SearchSorted},
    {"aten::searchsorted.Scalar", SearchSortedScalar},
    {"aten::bucketize.Tensor", Bucketize},
    {"aten::bucketize.Scalar", Bucketize},
    {"aten::histc", Histc},
    {"aten::isin.Tensor_Tensor", IsIn},
    {"aten::isin.Tensor_Scalar", IsIn},
    {"aten::isin.Scalar_Tensor", IsIn},
    {"aten::bincount", BinCount},
    {"aten::_unique", Unique},
    {"aten::_unique2", Unique2},
    {"aten::unique_dim", UniqueDim},
    {"aten::unique_consecutive", UniqueConsecutive},
    {"aten::unique_dim_consecutive", UniqueDimConsecutive},
};

}  // namespace

RuleRows SortRules() { return kRows; }

}  // namespace fakeprop
