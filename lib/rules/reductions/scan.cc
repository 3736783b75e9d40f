// Cumulative operators and softmax: results of the operand's shape, computed along one dimension.
// Source: aten/src/ATen/native/ReduceOps.cpp, SoftMax.cpp, torch/_refs and _decomp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/promotion.h"

namespace fakeprop::rules {
namespace {

// `self`, which must have the dimension `dim`.
Operand SelfAlongDim(const Call& call) {
  const Operand self = call.In("self");
  call.WrappedDim("dim", self);
  return self;
}

constexpr char kCumsumKernel[] = "cumsum_out_cpu", kCumprodKernel[] = "cumprod_out_cpu";

// cumsum, cumprod: integers add up in int64 where no dtype is asked for.
template <const char* kKernel>
void Cumulate(Call& call) {
  const Operand self = SelfAlongDim(call);
  const ScalarType dtype = TryDtype(call).value_or(IsIntegral(self->dtype) ? ScalarType::Long : self->dtype);
  // No kernel adds up in bool, but a single number or an empty tensor needs no kernel.
  const bool computes = self->rank() > 0 && !IsEmpty(self);
  if (computes) {
    RequireDtype(call, dtype, {kNotBool.dtypes, "does not compute in bool"});
    RequireCompiled(call, kKernel, dtype, kBarebonesUnsignedDtypes | ScalarType::ComplexHalf);
  }
  ReturnContiguous(call, self, dtype);
}

// The kernel asks whether there are zeros in the input. Without any this is reversed_cumsum(output * grad) / input,
// else, and for fake tensors, a stack of sums. Only for integers it matters: with zeros their gradients are integers.
// Source: at::native::cumprod_backward.
void CumulativeProductBackward(Call& call) {
  const Operand grad = call.In("grad"), input = call.In("input"), output = call.In("output");
  if (GuardOrFalse(Le(input.Numel(), 1))) return void(call.ReturnArgument(grad.tensor()));
  const int64_t dim = call.WrappedDim("dim", input);
  if (GuardOrFalse(Eq(input->sizes[dim], 1))) return void(call.ReturnArgument(grad.tensor()));
  const Dims product = BroadcastSizes(output->size_span(), grad->size_span());
  WrapDim(call.Int("dim"), static_cast<int64_t>(product.size()));
  const ScalarType dtype = PromotedDtype(call, {"output", "grad", "input"});
  ReturnContiguous(call, BroadcastSizes(product, input->size_span()), IsIntegral(dtype) ? ScalarType::Long : dtype);
}

void LogCumulativeSum(Call& call) { ReturnContiguous(call, SelfAlongDim(call).Takes(kFloatingOrComplex)); }

void CumulativeExtremum(Call& call) {
  const Operand self = call.In("self");
  // The cpu does not look for the dimension in an empty tensor.
  if (!call.OnCpu() || !IsKnownEmpty(self)) SelfAlongDim(call);
  // A single number is its own extremum, whatever it is.
  if (self->rank() > 0 && !IsEmpty(self)) self.Takes(kNotComplex);
  ReturnContiguous(call, self);
  ReturnContiguous(call, self, ScalarType::Long);
}

// cummax and cummin do their work with these operators.
void CumulativeExtremumHelper(Call& call) {
  const Operand self = call.In("self"), values = call.In("values"), indices = call.In("indices");
  for (const Operand& t : {self, values, indices}) RequireIndex(call, t->rank() > 0, "does not take 0-dim tensors");
  call.WrappedDim("dim", self);
  self.Takes(kNotComplex).SameDtypeAs(values);
  indices.Takes(ScalarType::Long, "takes int64 indices, not {}");
  call.Write(values.tensor());
  call.Write(indices.tensor());
}

// softmax(dim, dtype): converts first. The kernel refuses other dtypes, but an empty tensor needs no kernel.
void Softmax(Call& call) {
  const Operand self = SelfAlongDim(call);
  const ScalarType dtype = TryDtype(call).value_or(self->dtype);
  if (!IsEmpty(self)) RequireDtype(call, dtype, kFloating);
  RequireRealFormula(call, self.tensor(), dtype);
  ReturnContiguous(call, self, dtype);
}

// _softmax(dim, half_to_float).
void InnerSoftmax(Call& call) {
  const Operand self = SelfAlongDim(call);
  if (!IsEmpty(self)) self.Takes(kFloating);
  const bool half_to_float = call.Bool("half_to_float");
  if (half_to_float) self.Takes(kHalfDtypes, "converts only half-precision tensors to float32");
  if (half_to_float && call.OnCpu()) FailDtype(call, "does not convert to float32 on the cpu");
  ReturnContiguous(call, self, half_to_float ? ScalarType::Float : self->dtype);
}

// Only softmax's gradient compares the sizes (checkSameSize); log_softmax's takes those of the gradient.
void RequireSizesOfOutput(const Call& call) { call.In("grad_output").SameSizesAs(call.In("output")); }

// The gradient, in the dtype that the input had.
// It asks first where the input is -inf. Source: at::native::_safe_softmax.
void SafeSoftmax(Call& call) {
  call.In("self").Takes(kNotComplex, "isneginf does not support complex inputs, but got {}");
  Softmax(call);
}

void SoftmaxBackward(Call& call) {
  const Operand grad = call.In("grad_output");
  call.WrappedDim("dim", grad);
  grad.SameDtypeAs(call.In("output"));
  if (!IsEmpty(grad)) grad.Takes(kFloating);
  const bool narrows = grad->dtype == ScalarType::Float && call.OptionalDtype("input_dtype") == ScalarType::Half;
  ReturnContiguous(call, grad, narrows ? ScalarType::Half : grad->dtype);
}

void CheckOptionalDim(const Call& call, const TensorMeta& of) {
  if (const auto dim = call.OptionalInt("dim")) WrapDim(*dim, of.rank());
}

// The mask has the input's shape, or what mask_type says: 0 is [L, L], 1 is [B, L]. Source: masked_softmax_cpu.
void RequireMask(const Call& call) {
  const Operand mask = call.In("mask").Takes(ScalarType::Bool, "takes a bool mask"),
                self = call.In("self").Takes(kFloating);
  CheckOptionalDim(call, self);
  const bool is_square = mask->rank() == 2 && self->rank() == 4;
  RequireValue(
      call, !is_square || call.Has("mask_type"), "takes a mask_type where the mask has 2 dimensions and the input 4");
  const int64_t type = is_square ? call.Int("mask_type") : 2;
  if (type != 0 && type != 1) return void(mask.SameSizesAs(self));
  const Dim rows = type == 0 ? self->sizes[2] : self->sizes[0], columns = self->sizes[2];
  mask.Sizes({rows, columns}, {"takes a mask of shape [{}, {}], not {}", rows, columns});
}

void MaskedSoftmaxBackward(Call& call) {
  const Operand grad = call.In("grad_output"), mask = call.In("mask");
  grad.SameSizesAs(mask).SameDtypeAs(call.In("output"));
  mask.Takes(ScalarType::Bool, "takes a mask of bool, not {tensor}");
  CheckOptionalDim(call, grad.Takes(kFloating));
  // Only the cpu's kernel makes its result contiguous.
  call.ReturnNew(grad->device.is_cpu() ? ContiguousMeta(grad->sizes, grad->dtype, grad->device) : EmptyLike(grad));
}

constexpr RuleRow kRows[] = {
    {"aten::cumsum", Cumulate<kCumsumKernel>, DefaultDtype::kOfWritten | kIteratesAfterResize},
    {"aten::cumprod", Cumulate<kCumprodKernel>, DefaultDtype::kOfWritten | kIteratesAfterResize},
    {"aten::cumprod_backward", CumulativeProductBackward},
    {"aten::logcumsumexp", LogCumulativeSum, kIteratesAfterResize},
    {"aten::_logcumsumexp", LogCumulativeSum, OutDtype::kAnyOnCpu | kIteratesAfterResize},
    {"aten::cummax", CumulativeExtremum, Overlap::kAllowedInOut},
    {"aten::cummin", CumulativeExtremum, Overlap::kAllowedInOut},
    {"aten::_cummax_helper", CumulativeExtremumHelper},
    {"aten::_cummin_helper", CumulativeExtremumHelper},
    {"aten::softmax.int", Softmax},
    {"aten::log_softmax.int", Softmax},
    {"aten::special_softmax", Softmax},
    {"aten::special_log_softmax", Softmax},
    {"aten::_safe_softmax", SafeSoftmax},
    {"aten::_softmax", InnerSoftmax, Overlap::kAllowedInOut},
    {"aten::_log_softmax", InnerSoftmax, Overlap::kAllowedInOut},
    {"aten::_softmax_backward_data", InOrder<RequireSizesOfOutput, SoftmaxBackward>},
    {"aten::_log_softmax_backward_data", SoftmaxBackward},
    {"aten::_masked_softmax", InOrder<RequireMask, ReturnLikeSelf>},
    {"aten::_masked_softmax_backward", MaskedSoftmaxBackward},
};

}  // namespace

RuleRows ScanRules() { return kRows; }

}  // namespace fakeprop::rules
