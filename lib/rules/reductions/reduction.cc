// Reductions over dimensions: sum, mean, norms, extrema, variance.
// Source: aten/src/ATen/native/ReduceOps.cpp, ReduceOpsUtils.h, TensorCompare.cpp, LinearAlgebra's norms (torch 2.13).
// The result of a reduction is dense row-major, however its operand is laid out.
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// What a reduction makes of its operand's dtype.
enum class Result {
  kSame,        // the operand's
  kNotComplex,  // the operand's, which is not complex
  kIntToLong,   // `dtype`, else int64 for integral operands
  kFloatOnly,   // `dtype`, else the operand's; both floating or complex
  kIntToFloat,  // the default float dtype for integral operands
  kBool,        // bool, but uint8 for uint8
  kReal,        // `dtype`, else the operand's, floating or complex; then the real dtype of it
  kLong,        // int64
};

ScalarType ResultDtype(const Call& call, Result result) {
  const ScalarType self = call.Meta(0).dtype;
  const ScalarType asked = TryDtype(call).value_or(self);
  switch (result) {
    case Result::kSame: return self;
    case Result::kNotComplex: RequireNotComplex(call, self); return self;
    case Result::kIntToLong: return TryDtype(call) || !IsIntegral(self) ? asked : ScalarType::Long;
    case Result::kFloatOnly: RequireFloatOrComplex(call, asked); return asked;
    case Result::kIntToFloat: return IsIntegral(self) ? call.state().default_dtype : self;
    case Result::kBool: return self == ScalarType::Byte ? self : ScalarType::Bool;
    case Result::kReal: RequireFloatOrComplex(call, self); return ToRealDtype(asked);
    case Result::kLong: return ScalarType::Long;
  }
  return self;
}

// What an empty list of dimensions means; a missing one always means all.
enum class NoDims { kAll, kNone };

// The dimensions that `dim` names.
std::vector<bool> ReducedDims(const Call& call, NoDims empty_list) {
  const int64_t rank = call.Meta(0).rank();
  const Value* dim = call.TryArg("dim");
  if (!dim) return DimMask({}, rank);
  const std::vector<int64_t> dims = call.Ints("dim");
  // Source: dim_list_to_bitset (ATen/WrapDimUtilsMulti.h).
  if (rank > 64) FailShape(call, "reduces tensors of up to 64 dimensions, not " + std::to_string(rank));
  if (dims.empty() && empty_list == NoDims::kNone) return std::vector<bool>(rank, false);
  return DimMask(dims, rank);
}

template <Result R, NoDims Empty = NoDims::kAll>
void Reduce(Call& call) {
  const ScalarType dtype = ResultDtype(call, R);
  const std::vector<bool> mask = ReducedDims(call, Empty);
  ReturnContiguous(call, ReducedSizes(call.Meta(0).size_span(), mask, call.Flag("keepdim")), dtype);
}

// Extrema have no value over nothing. Source: at::native::zero_numel_check_dims.
void RequireElements(const Call& call, const std::vector<bool>& mask) {
  const TensorMeta& self = call.Meta(0);
  const Value* dim = call.TryArg("dim");
  const bool all = !dim || (dim->TryList() && dim->TryList()->items.empty());
  if (all && !Expect(Ne(Numel(self.size_span()), 0)))
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " of a tensor without elements needs a dimension to reduce");
  for (int64_t d = 0; d < self.rank(); ++d) {
    if (!mask[d] || Expect(Ne(self.sizes[d], 0))) continue;
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " reduces dimension " + std::to_string(d) + ", which has size 0");
  }
}

// amax, amin, argmax, max(), median(): one result. Complex numbers have no order.
template <Result R>
void Extremum(Call& call) {
  RequireNotComplex(call, call.Meta(0).dtype);
  const ScalarType dtype = ResultDtype(call, R);
  const std::vector<bool> mask = ReducedDims(call, NoDims::kAll);
  RequireElements(call, mask);
  ReturnContiguous(call, ReducedSizes(call.Meta(0).size_span(), mask, call.Flag("keepdim")), dtype);
}

void PositionOfExtremum(Call& call) {
  if (call.Meta(0).dtype == ScalarType::Bool) FailDtype(call, "does not take bool tensors");
  Extremum<Result::kLong>(call);
}

// The norm of vectors and matrices.
void FrobeniusNorm(Call& call) {
  if (call.Ints(1).size() > 2)
    FailValue(call, "takes at most 2 dimensions, not " + std::to_string(call.Ints(1).size()));
  Reduce<Result::kReal>(call);
}

// aminmax: minimum and maximum.
void MinMax(Call& call) {
  Extremum<Result::kNotComplex>(call);
  TensorMeta again = call.effects().outputs[0].meta;
  call.ReturnNew(std::move(again));
}

// max.dim, median.dim ...: values and their positions.
void ValueAndIndex(Call& call) {
  Extremum<Result::kNotComplex>(call);
  TensorMeta indices = call.effects().outputs[0].meta;
  indices.dtype = ScalarType::Long;
  call.ReturnNew(std::move(indices));
}

// The k-th smallest along a dimension. Source: at::native::kthvalue_out_impl_cpu, torch/_meta_registrations
// kthvalue_meta.
void KthValue(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t dim = WrapDim(call.Int(2), self.rank());
  const Dim k = call.DimArg(1);
  if (!Expect(And(Ge(k, 1), Le(k, SizeAt(self, dim)))))
    FailValue(call, "selects number " + k.ToString() + " of " + SizeAt(self, dim).ToString() + " elements");
  const Dims sizes = ReducedSizes(self.size_span(), dim, call.Bool(3));
  ReturnContiguous(call, sizes, self.dtype);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void Variance(Call& call) {
  RequireFloatOrComplex(call, call.Meta(0).dtype);
  Reduce<Result::kReal>(call);
}

// Variance (or deviation) and mean; the mean of complex numbers is complex.
void VarianceAndMean(Call& call) {
  Variance(call);
  TensorMeta mean = call.effects().outputs[0].meta;
  mean.dtype = call.Meta(0).dtype;
  call.ReturnNew(std::move(mean));
}

// Source: at::native::linalg_vector_norm's checks.
void CheckNormDtype(const Call& call, ScalarType self, ScalarType dtype) {
  RequireFloatOrComplex(call, dtype);
  if (IsComplex(dtype) != IsComplex(self)) FailDtype(call, "keeps real tensors real and complex ones complex");
  if (PromoteTypes(self, dtype) != dtype)
    FailDtype(call, "can't narrow " + std::string(DtypeName(self)) + " to " + std::string(DtypeName(dtype)));
}

void VectorNorm(Call& call) {
  const ScalarType self = call.Meta(0).dtype;
  RequireFloatOrComplex(call, self);
  if (auto dtype = TryDtype(call)) CheckNormDtype(call, self, *dtype);
  Reduce<Result::kReal>(call);
}

void NanSum(Call& call) {
  RequireNotComplex(call, call.Meta(0).dtype);
  Reduce<Result::kIntToLong>(call);
}

void NanMean(Call& call) {
  RequireFloat(call, call.Meta(0).dtype);
  Reduce<Result::kFloatOnly>(call);
}

void ScalarBool(Call& call) {
  if (call.Meta(0).dtype != ScalarType::Bool) FailDtype(call, "takes bool tensors");
  ReturnContiguous(call, {}, ScalarType::Bool);
}

// The sum of a matrix's diagonal.
void Trace(Call& call) {
  RequireRank(call, 0, 2);
  Reduce<Result::kIntToLong>(call);
}

// Source: torch/_meta_registrations meta_hash.
void HashTensor(Call& call) {
  RequireNotComplex(call, call.Meta(0).dtype);
  if (const int64_t mode = call.Int("mode"); mode != 0) FailValue(call, "has no mode " + std::to_string(mode));
  const std::vector<bool> mask = ReducedDims(call, NoDims::kAll);
  RequireElements(call, mask);
  ReturnContiguous(call, ReducedSizes(call.Meta(0).size_span(), mask, call.Flag("keepdim")), ScalarType::UInt64);
}

// The shape that self was broadcast from: the dimensions that came to it are summed up, none else.
// Source: at::sum_to (aten/src/ATen/ExpandUtils.h).
void SumToSize(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const Dims sizes = call.DimList(1);
  if (!CanExpandTo(sizes, self.size_span()))
    FailShape(call, "sums up to sizes that expand to " + ToString(self.size_span()) + ", which " +
                        ToString(DimSpan(sizes)) + " do not");
  if (GuardSameOrFalse(sizes, self.size_span()) && !sizes.empty()) return void(call.ReturnArgument(call.TensorArg(0)));
  ReturnContiguous(call, sizes, IsIntegral(self.dtype) ? ScalarType::Long : self.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::sum_to_size", SumToSize},
    {"aten::sum", Reduce<Result::kIntToLong>},
    {"aten::sum.dim_IntList", Reduce<Result::kIntToLong>},
    {"aten::nansum", NanSum},
    {"aten::mean", Reduce<Result::kFloatOnly>},
    {"aten::mean.dim", Reduce<Result::kFloatOnly>},
    {"aten::nanmean", NanMean},
    {"aten::prod", Reduce<Result::kIntToLong>},
    {"aten::prod.dim_int", Reduce<Result::kIntToLong>},
    {"aten::var", Variance},
    {"aten::var.dim", Variance},
    {"aten::var.correction", Variance},
    {"aten::std", Variance},
    {"aten::std.dim", Variance},
    {"aten::std.correction", Variance},
    {"aten::var_mean", VarianceAndMean},
    {"aten::var_mean.dim", VarianceAndMean},
    {"aten::var_mean.correction", VarianceAndMean},
    {"aten::std_mean", VarianceAndMean},
    {"aten::std_mean.dim", VarianceAndMean},
    {"aten::std_mean.correction", VarianceAndMean},
    {"aten::any", Reduce<Result::kBool>},
    {"aten::any.dim", Reduce<Result::kBool>},
    {"aten::any.dims", Reduce<Result::kBool, NoDims::kNone>},
    {"aten::all", Reduce<Result::kBool>},
    {"aten::all.dim", Reduce<Result::kBool>},
    {"aten::all.dims", Reduce<Result::kBool, NoDims::kNone>},
    {"aten::_is_all_true", ScalarBool},
    {"aten::_is_any_true", ScalarBool},
    {"aten::count_nonzero", Reduce<Result::kLong>},
    {"aten::count_nonzero.dim_IntList", Reduce<Result::kLong>},
    {"aten::max", Extremum<Result::kNotComplex>},
    {"aten::min", Extremum<Result::kNotComplex>},
    {"aten::amax", Extremum<Result::kNotComplex>},
    {"aten::amin", Extremum<Result::kNotComplex>},
    {"aten::argmax", PositionOfExtremum},
    {"aten::argmin", PositionOfExtremum},
    {"aten::max.dim", ValueAndIndex},
    {"aten::min.dim", ValueAndIndex},
    {"aten::aminmax", MinMax},
    {"aten::_aminmax", MinMax},
    {"aten::_aminmax.dim", MinMax},
    {"aten::median", Reduce<Result::kNotComplex>},
    {"aten::nanmedian", Reduce<Result::kNotComplex>},
    {"aten::median.dim", ValueAndIndex},
    {"aten::nanmedian.dim", ValueAndIndex},
    {"aten::mode", ValueAndIndex},
    {"aten::kthvalue", KthValue},
    {"aten::norm.Scalar", Reduce<Result::kReal>},
    {"aten::norm.ScalarOpt_dtype", VectorNorm},
    {"aten::norm.ScalarOpt_dim", Reduce<Result::kReal>},
    {"aten::norm.ScalarOpt_dim_dtype", VectorNorm},
    {"aten::frobenius_norm.dim", FrobeniusNorm},
    {"aten::linalg_vector_norm", VectorNorm},
    {"aten::linalg__powsum", VectorNorm},
    {"aten::logsumexp", Reduce<Result::kIntToFloat>},
    {"aten::special_logsumexp", Reduce<Result::kIntToFloat>},
    {"aten::trace", Trace},
    {"aten::hash_tensor", HashTensor},
};

}  // namespace

RuleRows ReductionRules() { return kRows; }

}  // namespace fakeprop::rules
