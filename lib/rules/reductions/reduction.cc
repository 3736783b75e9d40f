// Reductions over dimensions: sum, mean, norms, extrema, variance.
// Source: aten/src/ATen/native/ReduceOps.cpp, ReduceOpsUtils.h, TensorCompare.cpp, LinearAlgebra's norms (torch 2.13).
// The result of a reduction is dense row-major, however its operand is laid out.
#include <algorithm>
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/quantized_kernels.h"

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

constexpr DtypeClass kMeanDtypes{kFloatingOrComplex.dtypes,
    "takes floating-point or complex tensors, not {}: could not infer output dtype. Input dtype must be either a "
    "floating "
    "point or complex dtype"};
constexpr DtypeClass kVarianceDtypes{kFloatingOrComplex.dtypes,
    "takes floating-point or complex tensors, not {}: std and var only support floating point and complex dtypes"};

constexpr char kSumKernel[] = "sum_cpu", kProductKernel[] = "prod_out_cpu";

ScalarType ResultDtype(const Call& call, Result result) {
  const ScalarType self = call.In("self")->dtype;
  const ScalarType asked = TryDtype(call).value_or(self);
  switch (result) {
    case Result::kSame: return self;
    case Result::kNotComplex: RequireDtype(call, self, kNotComplex); return self;
    case Result::kIntToLong: return TryDtype(call) || !IsIntegral(self) ? asked : ScalarType::Long;
    case Result::kFloatOnly:
      if (!kQuantizedTypes.Has(self)) RequireDtype(call, asked, kMeanDtypes);
      return asked;
    case Result::kIntToFloat: return IsIntegral(self) ? call.state().default_dtype : self;
    case Result::kBool: return self == ScalarType::Byte ? self : ScalarType::Bool;
    case Result::kReal: RequireDtype(call, self, kFloatingOrComplex); return ToRealDtype(asked);
    case Result::kLong: return ScalarType::Long;
  }
  return self;
}

// What an empty list of dimensions means; a missing one always means all.
enum class NoDims { kAll, kNone };

// Returns true if all dimensions are reduced: `dim` is missing, None or an empty list.
bool NamesNoDim(const Call& call) {
  const Value* dim = call.TryArg("dim");
  return !dim || (dim->TryList() && dim->TryList()->items.empty());
}

// The dimensions that `dim` names.
std::vector<bool> ReducedDims(const Call& call, NoDims empty_list) {
  const int64_t rank = call.In("self")->rank();
  if (!call.Has("dim")) return DimMask({}, rank);
  const std::vector<int64_t> dims = call.Ints("dim");
  // Source: dim_list_to_bitset (ATen/WrapDimUtilsMulti.h).
  RequireShape(call, rank <= 64, {"reduces tensors of up to 64 dimensions, not {}", rank});
  if (dims.empty() && empty_list == NoDims::kNone) return std::vector<bool>(rank, false);
  return DimMask(dims, rank);
}

void ReturnReduced(Call& call, const std::vector<bool>& mask, ScalarType dtype) {
  ReturnContiguous(call, ReducedSizes(call.In("self")->size_span(), mask, call.Flag("keepdim")), dtype);
}

template <Result R, NoDims Empty = NoDims::kAll>
void Reduce(Call& call) {
  const ScalarType dtype = ResultDtype(call, R);
  ReturnReduced(call, ReducedDims(call, Empty), dtype);
}

// sum, prod. The cpu adds up in each dtype but these, if there is anything to add up.
template <const char* kKernel>
void Accumulate(Call& call) {
  const ScalarType dtype = ResultDtype(call, Result::kIntToLong);
  if (!IsKnownEmpty(call.In("self")))
    RequireCompiled(call, kKernel, dtype, kBarebonesUnsignedDtypes | ScalarType::ComplexHalf);
  ReturnReduced(call, ReducedDims(call, NoDims::kAll), dtype);
}

// There is no extremum of nothing. Source: at::native::zero_numel_check_dims.
void RequireElements(const Call& call, const std::vector<bool>& mask) {
  const Operand self = call.In("self");
  if (NamesNoDim(call))
    RequireIndex(call, Ne(self.Numel(), 0),
        "of a tensor without elements: expected reduction dim to be specified for input.numel() == 0");
  for (int64_t d = 0; d < self->rank(); ++d) {
    if (!mask[d] || Expect(Ne(self->sizes[d], 0))) continue;
    FailIndex({"{}: expected reduction dim {} to have non-zero size", OpName(call), d});
  }
}

void ReturnOfElements(Call& call, ScalarType dtype) {
  const std::vector<bool> mask = ReducedDims(call, NoDims::kAll);
  RequireElements(call, mask);
  ReturnReduced(call, mask, dtype);
}

// amax, amin, argmax, max(), median(): one result. Complex numbers have no order.
template <Result R>
void Extremum(Call& call) {
  call.In("self").Takes(kNotComplex);
  ReturnOfElements(call, ResultDtype(call, R));
}

// max.unary_out, min.unary_out: the kernel knows what is the extremum of nothing.
void ExtremumOut(Call& call) {
  const Operand self = call.In("self").Takes(kNotComplex), out = call.In("out").SameDeviceAs(self);
  RequireCast(call, self->dtype, out->dtype);
  WriteOfSizes(call, out.tensor(), {});
}

// The kernel of amax and amin runs for elements alone, and so does its check.
void ExtremumOfAny(Call& call) {
  if (!IsKnownEmpty(call.In("self"))) return Extremum<Result::kNotComplex>(call);
  ReturnOfElements(call, call.In("self")->dtype);
}

void PositionOfExtremum(Call& call) {
  call.In("self").Takes(kNotBool, "does not take bool tensors");
  Extremum<Result::kLong>(call);
}

// The median of nothing is nan, whatever the dtype. Source: at::native::median_impl.
void MedianOfAll(Call& call) {
  const Operand self = call.In("self");
  if (!IsKnownEmpty(self)) self.Takes(kNotComplex);
  ReturnReduced(call, ReducedDims(call, NoDims::kAll), self->dtype);
}

// The norm of vectors and matrices.
void FrobeniusNorm(Call& call) {
  const size_t dims = call.Ints("dim").size();
  RequireValue(call, dims <= 2, {"takes at most 2 dimensions, not {}", dims});
  Reduce<Result::kReal>(call);
}

// aminmax: minimum and maximum. A single number along a dimension is copied, whatever it is.
void MinMax(Call& call) {
  const Operand self = call.In("self");
  if (self->rank() > 0 || NamesNoDim(call))
    RequireCompiled(call, "aminmax_cpu", self->dtype, kBarebonesUnsignedDtypes | kComplexDtypes);
  Extremum<Result::kNotComplex>(call);
  TensorMeta again = call.effects().outputs[0].meta;
  call.ReturnNew(std::move(again));
}

// `values`, and their positions.
void ReturnPositionsToo(Call& call) {
  TensorMeta indices = call.effects().outputs[0].meta;
  indices.dtype = ScalarType::Long;
  call.ReturnNew(std::move(indices));
}

// max.dim, median.dim ...
void ValueAndIndex(Call& call) {
  Extremum<Result::kNotComplex>(call);
  ReturnPositionsToo(call);
}

// Only elements have to be compared. Source: at::native::mode_out.
void Mode(Call& call) {
  ExtremumOfAny(call);
  ReturnPositionsToo(call);
}

// The k-th smallest along a dimension. Source: at::native::kthvalue_out_impl_cpu, torch/_meta_registrations
// kthvalue_meta.
void KthValue(Call& call) {
  const Operand self = call.In("self");
  if (self->rank() > 0) self.Takes(kReal);  // a tensor without dimensions is copied
  const int64_t dim = call.WrappedDim("dim", self);
  const Dim k = call.DimArg("k"), size = SizeAt(self, dim);
  RequireValue(call, And(Ge(k, 1), Le(k, size)),
      {"selects number {} of {} elements: selected number k out of range for dimension {}", k, size, dim});
  const Dims sizes = ReducedSizes(self->size_span(), dim, call.Bool("keepdim"));
  ReturnContiguous(call, sizes, self->dtype);
  ReturnContiguous(call, sizes, ScalarType::Long);
}

void Variance(Call& call) {
  call.In("self").Takes(kVarianceDtypes);
  Reduce<Result::kReal>(call);
}

// A quantized tensor's is computed on its values, and quantized again. Its variance has no such kernel.
void Deviation(Call& call) {
  const Operand self = call.In("self");
  if (IsQuantized(self)) return ReturnReduced(call, ReducedDims(call, NoDims::kAll), self->dtype);
  Variance(call);
}

// Variance (or deviation) and mean; the mean of complex numbers is complex.
void VarianceAndMean(Call& call) {
  Variance(call);
  TensorMeta mean = call.effects().outputs[0].meta;
  mean.dtype = call.In("self")->dtype;
  call.ReturnNew(std::move(mean));
}

// Source: at::native::linalg_vector_norm's checks.
void CheckNormDtype(const Call& call, ScalarType self, ScalarType dtype) {
  RequireDtype(call, dtype, kFloatingOrComplex);
  RequireDtype(call, IsComplex(dtype) == IsComplex(self), "keeps real tensors real and complex ones complex");
  RequireDtype(call, PromoteTypes(self, dtype) == dtype, {"can't narrow {} to {}", self, dtype});
}

// Orders below 0 and infinity are those of the least and the greatest element. Source: meta of linalg_vector_norm.
template <ArgumentName Order>
void RequireNormIdentity(const Call& call) {
  if (call.IsNone(Order) || call.Number(Order).Is<std::complex<double>>()) return;
  if (call.Float(Order) >= 0 && !std::isinf(call.Float(Order))) return;
  const Operand self = call.In("self");
  const std::vector<int64_t> dims = call.Has("dim") ? call.Ints("dim") : std::vector<int64_t>();
  Dim elements = dims.empty() ? self.Numel() : Dim(1);
  for (int64_t dim : dims)
    if (self->rank() > 0) elements *= self->sizes[WrapDim(dim, self->rank())];
  RequireShape(call, Ne(elements, 0),
      {"cannot compute the {} norm of {} along {}: there is nothing, and the operation does not have an identity",
          call.Arg(Order), *self, dims});
}

void VectorNorm(Call& call) {
  const Operand self = call.In("self").Takes(kFloatingOrComplex,
      "takes floating-point or complex tensors, not {}: expected a floating point or complex tensor as input");
  if (auto dtype = TryDtype(call)) CheckNormDtype(call, self->dtype, *dtype);
  Reduce<Result::kReal>(call);
}

// Its kernel runs for elements alone, and so does its check.
void PowerSum(Call& call) {
  const Operand self = call.In("self");
  IsKnownEmpty(self) && IsIntegral(self->dtype) ? Reduce<Result::kIntToLong>(call) : VectorNorm(call);
}

// The cpu has no kernels for complex tensors that leave out nan.
void NanSum(Call& call) {
  if (call.OnCpu()) call.In("self").Takes(kNotComplex);
  if (call.OnCpu() && !IsKnownEmpty(call.In("self")))
    RequireDtype(call, ResultDtype(call, Result::kIntToLong), kNotComplex);
  Accumulate<kSumKernel>(call);
}

void NanMean(Call& call) {
  call.In("self").Takes(call.OnCpu() ? kFloating : kFloatingOrComplex);
  Reduce<Result::kFloatOnly>(call);
}

void ScalarBool(Call& call) {
  call.In("self").Takes(ScalarType::Bool, "takes bool tensors");
  ReturnContiguous(call, {}, ScalarType::Bool);
}

// The sum of a matrix's diagonal.
void Trace(Call& call) {
  call.In("self").Rank(2);
  Reduce<Result::kIntToLong>(call);
}

// Source: torch/_meta_registrations meta_hash.
void HashTensor(Call& call) {
  const int64_t mode = call.Int("mode");
  RequireValue(call, mode == 0, {"has no mode {}", mode});
  ReturnOfElements(call, ScalarType::UInt64);
  if (!IsKnownEmpty(call.effects().outputs[0].meta)) call.In("self").Takes(kNotComplex);
}

// Sums up to the shape that self was broadcast from: over the dimensions that broadcasting added or enlarged.
// Source: at::sum_to (aten/src/ATen/ExpandUtils.h).
void SumToSize(Call& call) {
  const Operand self = call.In("self");
  const Dims sizes = call.DimList("size");
  RequireShape(call, CanExpandTo(sizes, self->size_span()),
      {"sums up to sizes that expand to {}, which {} do not", self->sizes, sizes});
  if (GuardSameOrFalse(sizes, self->size_span()) && !sizes.empty()) return void(call.ReturnArgument(self.tensor()));
  ReturnContiguous(call, sizes, IsIntegral(self->dtype) ? ScalarType::Long : self->dtype);
}

// The variances of the real and the imaginary parts are added into the out tensor, by a pointwise kernel.
Overlap OverlapOfVariance(const Call& out_form) {
  return IsComplex(out_form.In("self")->dtype) ? Overlap::kRefusedBeforeResize : Overlap::kAllowedInOut;
}

// The kernel for real numbers computes in the out tensor's dtype, and knows no complex one. A single number has a
// kernel of its own, which is asked for by the out tensor's dtype, and knows no input in half precision. That of
// nothing is not asked for. Source: at::native::std_var_out.
OutDtype OutDtypeOfVariance(const Call& out_form) {
  const Operand self = out_form.In("self");
  if (!out_form.OnCpu() || IsKnownEmpty(self) || IsComplex(self->dtype)) return OutDtype::kCast;
  const Dims left = ReducedSizes(self->size_span(), ReducedDims(out_form, NoDims::kAll), false);
  if (!GuardOrFalse(Eq(Numel(left), 1))) return OutDtype::kCastReal;
  return IsHalf(self->dtype) && !IsHalf(out_form.In("out")->dtype) ? OutDtype::kExact : OutDtype::kCast;
}

template <Rule R>
constexpr Rule NormOf = InOrder<RequireNormIdentity<"p">, R>;

// Without a dimension the kernel for whole tensors is called, which looks at nothing.
ReadsWritten ReadsWrittenOfMinMax(const Call& form) {
  return form.Has("dim") ? ReadsWritten::kItself : ReadsWritten::kAll;
}

constexpr OperatorFacts kOfVariance = OperatorFacts(OverlapOfVariance) | OutDtypeOfVariance;

constexpr RuleRow kRows[] = {
    {"aten::sum_to_size", SumToSize},
    {"aten::sum", Accumulate<kSumKernel>, DefaultDtype::kOfWritten},
    {"aten::sum.dim_IntList", Accumulate<kSumKernel>, DefaultDtype::kOfWritten | Overlap::kAllowedInOut},
    {"aten::nansum", NanSum, DefaultDtype::kOfWritten | Overlap::kAllowedInOut},
    {"aten::mean", Reduce<Result::kFloatOnly>, DefaultDtype::kOfWrittenIfFloating},
    {"aten::mean.dim", Reduce<Result::kFloatOnly>, DefaultDtype::kOfWrittenIfFloating},
    {"aten::nanmean", NanMean, OutDtype::kCast},
    {"aten::prod", Accumulate<kProductKernel>, DefaultDtype::kOfWritten},
    {"aten::prod.dim_int", Accumulate<kProductKernel>, DefaultDtype::kOfWritten | Overlap::kAllowedInOut},
    {"aten::var", Variance},
    {"aten::var.dim", Variance, kOfVariance},
    {"aten::var.correction", Variance, kOfVariance},
    {"aten::std", Deviation},
    {"aten::std.dim", Deviation, kOfVariance},
    {"aten::std.correction", Deviation, kOfVariance},
    {"aten::var_mean", VarianceAndMean},
    {"aten::var_mean.dim", VarianceAndMean},
    {"aten::var_mean.correction", VarianceAndMean},
    {"aten::std_mean", VarianceAndMean},
    {"aten::std_mean.dim", VarianceAndMean},
    {"aten::std_mean.correction", VarianceAndMean},
    {"aten::any", Reduce<Result::kBool>, OutDtype::kBoolOrByte | Overlap::kAllowedInOut},
    {"aten::any.dim", Reduce<Result::kBool>, OutDtype::kBoolOrByte | Overlap::kAllowedInOut},
    {"aten::any.dims", Reduce<Result::kBool, NoDims::kNone>, OutDtype::kBoolOrByte | Overlap::kAllowedInOut},
    {"aten::all", Reduce<Result::kBool>, OutDtype::kBoolOrByte | Overlap::kAllowedInOut},
    {"aten::all.dim", Reduce<Result::kBool>, OutDtype::kBoolOrByte | Overlap::kAllowedInOut},
    {"aten::all.dims", Reduce<Result::kBool, NoDims::kNone>, OutDtype::kBoolOrByte | Overlap::kAllowedInOut},
    {"aten::_is_all_true", ScalarBool},
    {"aten::_is_any_true", ScalarBool},
    {"aten::count_nonzero", Reduce<Result::kLong>},
    {"aten::count_nonzero.dim_IntList", Reduce<Result::kLong>},
    {"aten::max", Extremum<Result::kNotComplex>, OutDtype::kCast},
    {"aten::min", Extremum<Result::kNotComplex>, OutDtype::kCast},
    {"aten::max.unary_out", ExtremumOut},
    {"aten::min.unary_out", ExtremumOut},
    {"aten::amax", ExtremumOfAny, Overlap::kAllowedInOut},
    {"aten::amin", ExtremumOfAny, Overlap::kAllowedInOut},
    {"aten::argmax", PositionOfExtremum, Overlap::kAllowedInOut},
    {"aten::argmin", PositionOfExtremum, Overlap::kAllowedInOut},
    {"aten::max.dim", ValueAndIndex, kIteratesAfterResize},
    {"aten::min.dim", ValueAndIndex, kIteratesAfterResize},
    {"aten::aminmax", MinMax, ReadsWrittenOfMinMax | Looks::kAfterResize},
    {"aten::_aminmax", MinMax},
    {"aten::_aminmax.dim", MinMax},
    {"aten::median", MedianOfAll},
    {"aten::nanmedian", MedianOfAll},
    {"aten::median.dim", ValueAndIndex, kIteratesAfterResize | Compares::kViews},
    {"aten::nanmedian.dim", ValueAndIndex, kIteratesAfterResize | Compares::kViews},
    {"aten::mode", Mode, kIteratesAfterResize | Compares::kViews},
    {"aten::kthvalue", KthValue, ReadsWritten::kNothingInOut | Looks::kBeforeResize | Compares::kValues},
    {"aten::norm.Scalar", NormOf<Reduce<Result::kReal>>},
    {"aten::norm.ScalarOpt_dtype", NormOf<VectorNorm>},
    {"aten::norm.ScalarOpt_dim", NormOf<Reduce<Result::kReal>>, Overlap::kAllowedInOut},
    {"aten::norm.ScalarOpt_dim_dtype", NormOf<VectorNorm>, Overlap::kAllowedInOut},
    {"aten::frobenius_norm.dim", FrobeniusNorm, Overlap::kAllowedInOut},
    {"aten::linalg_vector_norm", InOrder<RequireNormIdentity<"ord">, VectorNorm>, Overlap::kAllowedInOut},
    {"aten::linalg__powsum", PowerSum},
    {"aten::logsumexp", Reduce<Result::kIntToFloat>, OutDtype::kCast},
    {"aten::special_logsumexp", Reduce<Result::kIntToFloat>, OutDtype::kCast},
    {"aten::trace", Trace},
    {"aten::hash_tensor", HashTensor, Overlap::kAllowedInOut},
};

}  // namespace

RuleRows ReductionRules() { return kRows; }

}  // namespace fakeprop::rules
