// Cumulative operators and softmax: results of the operand's shape, computed along one dimension.
// Source: aten/src/ATen/native/ReduceOps.cpp, SoftMax.cpp, torch/_refs and _decomp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {
namespace {

// The dimension along which the operator runs; an error where there is none.
int64_t RequireDim(const Call& call, int position) { return WrapDim(call.Int(position), call.Meta(0).rank()); }

// cumsum, cumprod: integers add up in int64 where no dtype is asked for.
void CumulativeSum(Call& call) {
  RequireDim(call, 1);
  const ScalarType self = call.Meta(0).dtype;
  const ScalarType dtype = TryDtype(call).value_or(IsIntegral(self) ? ScalarType::Long : self);
  // No kernel adds up in bool, but none is asked for a single number or nothing.
  const bool computes = call.Meta(0).rank() > 0 && !IsEmpty(call.Meta(0));
  if (dtype == ScalarType::Bool && computes) FailDtype(call, "does not compute in bool");
  ReturnContiguous(call, call.Meta(0).size_span(), dtype);
}

void LogCumulativeSum(Call& call) {
  RequireDim(call, 1);
  RequireFloatOrComplex(call, call.Meta(0).dtype);
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

void CumulativeExtremum(Call& call) {
  RequireDim(call, 1);
  // A single number is its own extremum, whatever it is.
  const TensorMeta& self = call.Meta(0);
  if (self.rank() > 0 && !IsEmpty(self)) RequireNotComplex(call, self.dtype);
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
  ReturnContiguous(call, call.Meta(0).size_span(), ScalarType::Long);
}

// What cummax and cummin do their work by: (self, values, indices, dim).
void CumulativeExtremumHelper(Call& call) {
  const TensorMeta& self = call.Meta(0);
  for (int i : {0, 1, 2})
    if (call.Meta(i).rank() == 0) Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " does not take 0-dim tensors");
  RequireDim(call, 3);
  RequireNotComplex(call, self.dtype);
  RequireSameDtype(call, 0, 1);
  if (call.Meta(2).dtype != ScalarType::Long)
    FailDtype(call, "takes int64 indices, not " + std::string(DtypeName(call.Meta(2).dtype)));
  call.Write(call.TensorArg(1));
  call.Write(call.TensorArg(2));
}

// The kernel refuses other dtypes, but it is not asked where there is nothing to compute.
void RequireSoftmaxDtype(const Call& call, ScalarType dtype) {
  if (!IsEmpty(call.Meta(0))) RequireFloat(call, dtype);
}

// softmax(dim, dtype): converts first.
void Softmax(Call& call) {
  RequireDim(call, 1);
  const ScalarType dtype = TryDtype(call).value_or(call.Meta(0).dtype);
  RequireSoftmaxDtype(call, dtype);
  ReturnContiguous(call, call.Meta(0).size_span(), dtype);
}

// _softmax(dim, half_to_float).
void InnerSoftmax(Call& call) {
  RequireDim(call, 1);
  const ScalarType self = call.Meta(0).dtype;
  RequireSoftmaxDtype(call, self);
  const bool half_to_float = call.Bool(2);
  if (half_to_float && !IsHalf(self)) FailDtype(call, "converts only half-precision tensors to float32");
  if (half_to_float && call.device().is_cpu()) FailDtype(call, "does not convert to float32 on the cpu");
  ReturnContiguous(call, call.Meta(0).size_span(), half_to_float ? ScalarType::Float : self);
}

// Only softmax's gradient compares the sizes (checkSameSize); log_softmax's takes those of the gradient.
void RequireSizesOfResult(const Call& call) {
  if (call.schema().name == "aten::_softmax_backward_data") RequireSameSizes(call, 0, 1);
}

// The gradient, in the dtype that the input had.
void SoftmaxBackward(Call& call) {
  RequireSizesOfResult(call);
  RequireDim(call, 2);
  RequireSameDtype(call, 0, 1);
  const ScalarType dtype = call.Meta(0).dtype;
  RequireSoftmaxDtype(call, dtype);
  const bool narrows = dtype == ScalarType::Float && call.OptionalDtype(3) == ScalarType::Half;
  ReturnContiguous(call, call.Meta(0).size_span(), narrows ? ScalarType::Half : dtype);
}

// A mask of the same shape, or one that the attention layers broadcast (mask_type 0 and 1).
// The mask's type says what it stands for: 0 [L, L], 1 [B, L], else the input's own shape. Source: masked_softmax_cpu.
void CheckMask(const Call& call, const TensorMeta& input, const TensorMeta& mask) {
  if (!call.IsNone(2)) WrapDim(call.Int(2), input.rank());
  const bool is_square = mask.rank() == 2 && input.rank() == 4;
  if (is_square && call.IsNone(3)) FailValue(call, "takes a mask_type where the mask has 2 dimensions and the input 4");
  const int64_t type = is_square ? call.Int(3) : 2;
  if (type != 0 && type != 1) return RequireSameSizes(call, 1, 0);
  const Dim rows = type == 0 ? input.sizes[2] : input.sizes[0];
  if (!Expect(Eq(mask.sizes[0], rows)) || !Expect(Eq(mask.sizes[1], input.sizes[2])))
    FailShape(call, "takes a mask of shape [" + rows.ToString() + ", " + input.sizes[2].ToString() + "], not " +
                        ToString(mask.size_span()));
}

void MaskedSoftmax(Call& call) {
  if (call.Meta(1).dtype != ScalarType::Bool) FailDtype(call, "takes a bool mask");
  RequireFloat(call, call.Meta(0).dtype);
  CheckMask(call, call.Meta(0), call.Meta(1));
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

void MaskedSoftmaxBackward(Call& call) {
  RequireSameSizes(call, 0, 2);
  RequireSameDtype(call, 0, 1);
  if (call.Meta(2).dtype != ScalarType::Bool) FailDtype(call, "takes a mask of bool, not " + ToString(call.Meta(2)));
  RequireFloat(call, call.Meta(0).dtype);
  if (auto dim = call.OptionalInt(3)) WrapDim(*dim, call.Meta(0).rank());
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::cumsum", CumulativeSum},
    {"aten::cumprod", CumulativeSum},
    {"aten::logcumsumexp", LogCumulativeSum},
    {"aten::_logcumsumexp", LogCumulativeSum},
    {"aten::cummax", CumulativeExtremum},
    {"aten::cummin", CumulativeExtremum},
    {"aten::_cummax_helper", CumulativeExtremumHelper},
    {"aten::_cummin_helper", CumulativeExtremumHelper},
    {"aten::softmax.int", Softmax},
    {"aten::log_softmax.int", Softmax},
    {"aten::special_softmax", Softmax},
    {"aten::special_log_softmax", Softmax},
    {"aten::_safe_softmax", Softmax},
    {"aten::_softmax", InnerSoftmax},
    {"aten::_log_softmax", InnerSoftmax},
    {"aten::_softmax_backward_data", SoftmaxBackward},
    {"aten::_log_softmax_backward_data", SoftmaxBackward},
    {"aten::_masked_softmax", MaskedSoftmax},
    {"aten::_masked_softmax_backward", MaskedSoftmaxBackward},
};

}  // namespace

RuleRows ScanRules() { return kRows; }

}  // namespace fakeprop::rules
