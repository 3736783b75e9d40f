// Sorting, selection by rank, search and counting.
// Source: aten/src/ATen/native/Sorting.cpp, BucketizationUtils.h, Unique.cpp, SummaryOps.cpp (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

Operand CheckedSorted(const Operand& self, int64_t dim) {
  WrapDim(dim, self->rank());
  return self.Takes(kNotComplex);
}

TensorMeta LaidOutAs(const Operand& self) {
  return IsQuantized(self) ? SuggestedMeta(self, self->dtype) : NewLike(self);
}

// sort: values and positions, both laid out as the operand, packed.
void Sort(Call& call) {
  const TensorMeta sorted = LaidOutAs(CheckedSorted(call.In("self"), call.Int("dim")));
  call.ReturnNew(sorted);
  call.ReturnNew(WithDtype(sorted, ScalarType::Long));
}

void ArgSort(Call& call) {
  call.ReturnNew(WithDtype(LaidOutAs(CheckedSorted(call.In("self"), call.Int("dim"))), ScalarType::Long));
}

void SortFirstDim(Call& call) { call.ReturnNew(LaidOutAs(CheckedSorted(call.In("self"), 0))); }

void TopK(Call& call) {
  const Operand self = call.In("self");
  const int64_t dim = call.WrappedDim("dim", self);
  const Dim k = call.DimArg("k"), size = SizeAt(self, dim);
  RequireValue(call, And(Ge(k, 0), Le(k, size)), {"selects {} of {} elements: selected index k out of range", k, size});
  self.Takes(kNotComplex);
  if (self->device.is_cpu()) self.Takes(kNotBool, "takes no bool tensors on cpu");
  const Dims sizes = WithSize(self->sizes, dim, k);
  ReturnContiguous(call, sizes, self->dtype);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void ReturnPositions(Call& call, DimSpan sizes) {
  ReturnContiguous(call, sizes, call.Flag("out_int32") ? ScalarType::Int : ScalarType::Long);
}

// `side` and `right` say the same thing twice.
void RequireOneSide(const Call& call) {
  const auto side = call.OptionalString("side");
  if (!side) return;
  RequireOneOf(call, "side", {"left", "right"}, "takes the side 'left' or 'right', not '{}'");
  RequireValue(
      call, *side == "right" || !call.Flag("right"), "is given the side 'left' and right=True, which are opposites");
}

void RequireSorter(const Call& call, const Operand& sequence) {
  call.OptionalIn("sorter").Takes(ScalarType::Long).Sizes(sequence->sizes);
}

// The sequence has one dimension, or all but the last of the values'. Source: searchsorted_pre_check.
void RequireSearchable(const Operand& sequence, const Operand& values) {
  sequence.RankAtLeast(1, "takes a sorted sequence of at least 1 dimension");
  if (sequence->rank() == 1) return;
  bool fits = sequence->rank() == values->rank();
  for (int64_t d = 0; fits && d + 1 < sequence->rank(); ++d) fits = Expect(Eq(sequence->sizes[d], values->sizes[d]));
  values.Require(
      fits, {"takes a sequence of 1 dimension, or one whose sizes are the values' but for the last: got {} and {}",
                sequence->sizes});
}

// The cpu searches for numbers of these dtypes, if there are any to search for.
void RequireSearchKernel(const Call& call, const Operand& values) {
  if (IsKnownEmpty(values)) return;
  RequireCompiled(call, "searchsorted_out_cpu", values->dtype, kBarebonesUnsignedDtypes | ScalarType::Bool);
}

void SearchSorted(Call& call) {
  const Operand sequence = call.In("sorted_sequence"), self = call.In("self");
  RequireOneSide(call);
  RequireSorter(call, sequence);
  RequireSearchable(sequence, self);
  if (!IsKnownEmpty(self)) Operands{sequence, self}.Takes(kNotComplex);
  if (sequence->dtype == self->dtype) RequireSearchKernel(call, self);
  ReturnPositions(call, self->size_span());
}

void SearchSortedScalar(Call& call) {
  const Operand sequence = call.In("sorted_sequence");
  RequireOneSide(call);
  RequireSorter(call, sequence);
  sequence.Rank(1, "looks a number up in a sequence of 1 dimension only");
  ReturnPositions(call, {});
}

void Bucketize(Call& call) {
  const Operand boundaries = call.In("boundaries").Rank(1), self = call.TryIn("self");
  if (!self || !IsKnownEmpty(self)) Operands{boundaries, self}.Takes(kNotComplex);
  if (self && self->dtype == boundaries->dtype) RequireSearchKernel(call, self);
  ReturnPositions(call, self ? self->size_span() : DimSpan());
}

// Equal ends are taken from the data. Source: select_outer_bin_edges in aten/src/ATen/native/Histogram.cpp.
void RequireHistogramRange(const Call& call) {
  const double min = call.Float("min"), max = call.Float("max");
  if (min == max) return;
  RequireValue(call, std::isfinite(min) && std::isfinite(max),
      {"range of [{}, {}] is not finite", call.Arg("min"), call.Arg("max")});
  RequireValue(
      call, min < max, {"counts from {} to {}: max must be larger than min", call.Arg("min"), call.Arg("max")});
}

void Histc(Call& call) {
  const int64_t bins = call.Int("bins");
  RequireValue(call, bins > 0, {"takes a positive number of bins, not {}", bins});
  const Operand self = call.In("self");
  if (call.OnCpu()) self.Takes(kFloating);
  self.Takes(kNotComplex);
  RequireHistogramRange(call);
  ReturnContiguous(call, Dims{bins}, self->dtype);
}

// Whether each element is in a set. Source: check_for_unsupported_isin_dtype.
void IsIn(Call& call) {
  call.Given({"elements", "test_elements"}).Takes(kReal, "is not defined for {}");
  const Operand elements = call.TryIn("elements");
  if (!elements) return void(ReturnContiguous(call, {}, ScalarType::Bool));
  ReturnLike(call, elements, ScalarType::Bool);
}

// ---- unique elements. Source: _unique in torch/_subclasses/fake_impls.py.

// How many unique elements there are. Data decides it, except for an empty tensor.
Dim UniqueCount(Call& call, std::optional<int64_t> dim, Asked asked) {
  const Operand self = call.In("self");
  const Dim of = dim ? SizeAt(self, *dim) : self.Numel();
  if (IsKnownEmpty(self)) return 0;
  const std::optional<int64_t> most = of.TryNumber();
  return dim ? UnbackedSize(call, most) : UnbackedSize(call, self.tensor(), asked, most);
}

// Only the dimension itself may have size 0. Source: at::native _unique_dim_cpu_template.
void RequireRows(const Call& call, const TensorMeta& self, int64_t dim) {
  for (int64_t d = 0; d < self.rank(); ++d)
    RequireShape(call, d == dim || !Known(Eq(self.sizes[d], 0)),
        {"has no rows to tell apart along dimension {} of {}", dim, self.sizes});
}

// (values, positions of each element among them, counts); what is not asked for is empty.
void ReturnUnique(Call& call, std::optional<int64_t> dim, Asked asked) {
  const Operand self = call.In("self");
  const bool inverse = call.Bool("return_inverse"), counts = call.Flag("return_counts");
  if (dim) RequireRows(call, self, *dim);
  if (ReturnSizesOfOuts(call, {self->dtype, ScalarType::Long, ScalarType::Long})) return;
  const Dim count = UniqueCount(call, dim, asked);
  Dims sizes = {count};
  if (dim && self->rank() > 0) {
    sizes = self->sizes;
    sizes[*dim] = count;
  }
  // On the cpu the kernel of one dimension gives all three.
  const bool all = dim && self->device.is_cpu();
  ReturnContiguous(call, sizes, self->dtype);
  const Dims positions = dim ? Dims{SizeAt(self, *dim)} : self->sizes;
  ReturnContiguous(call, inverse || all ? positions : Dims{0}, ScalarType::Long);
  ReturnContiguous(call, counts || all ? Dims{count} : Dims{0}, ScalarType::Long);
}

void Unique2(Call& call) { ReturnUnique(call, std::nullopt, Asked::kUnique); }

// Without counts.
void Unique(Call& call) {
  Unique2(call);
  call.effects().outputs.resize(2);
}

template <Asked kAsked>
void UniqueDim(Call& call) {
  ReturnUnique(call, call.WrappedDim("dim", call.In("self")), kAsked);
}

void UniqueConsecutive(Call& call) {
  if (call.Has("dim")) return UniqueDim<Asked::kUniqueConsecutive>(call);
  ReturnUnique(call, std::nullopt, Asked::kUniqueConsecutive);
}

// How often each number stands there, up to the greatest.
void BinCount(Call& call) {
  const Operand self = call.In("self").Rank(1).Takes(kInteger, "counts integers, not {}");
  const Operand weights = call.OptionalIn("weights");
  self.SameSizesAs(weights);
  const Dim least = call.SizeAtLeast("minlength", 0);
  const bool is_float = weights && weights->dtype == ScalarType::Float;
  const ScalarType dtype = !weights ? ScalarType::Long : is_float ? ScalarType::Float : ScalarType::Double;
  if (ReturnSizesOfOuts(call, {dtype})) return;
  const Dim size = UnbackedSize(call);
  Expect(Ge(size, least));
  ReturnContiguous(call, Dims{size}, dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::sort", Sort, OutStrides::kOfResultEverywhere | kIteratesAfterResize | Compares::kValues},
    {"aten::sort.stable", Sort, OutStrides::kOfResultEverywhere | kIteratesAfterResize | Compares::kValues},
    {"aten::argsort", InOrder<RequireDifferentiable<"self">, ArgSort>},
    {"aten::argsort.stable", InOrder<RequireDifferentiable<"self">, ArgSort>, OutStrides::kOfResultEverywhere},
    {"aten::msort", SortFirstDim, OutStrides::kOfResultEverywhere | kIteratesAfterResize},
    {"aten::topk", TopK, kIteratesAfterResize},
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
    {"aten::unique_dim", UniqueDim<Asked::kUnique>},
    {"aten::unique_consecutive", UniqueConsecutive},
    {"aten::unique_dim_consecutive", UniqueDim<Asked::kUniqueConsecutive>},
};

}  // namespace

RuleRows SortRules() { return kRows; }

}  // namespace fakeprop::rules
