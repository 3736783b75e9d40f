// Fake quantization: rounding in floating point, with the mask that the gradient needs, and its observers.
// Source: aten/src/ATen/native/quantized/{FakeQuantPerTensorAffine,FakeQuantPerChannelAffine,FusedObsFakeQuant}.cpp
// (torch 2.13). Python runs most of these as CPU kernels on zeros; what they check of the values of scales and zero
// points is left out.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {
namespace {

void RequireQuantRange(const Call& call) {
  const Dim low = call.DimArg("quant_min"), high = call.DimArg("quant_max");
  if (!Expect(Le(low, high)))
    FailValue(call, "needs a quant_min not above quant_max, got " + low.ToString() + " and " + high.ToString());
}

// Autograd follows the quantized tensor alone, not its scale.
void FollowInput(const Call& call, Output& output) {
  output.requires_grad = call.state().grad_enabled && call.TensorArg(0).RequiresGrad();
}

// The quantized-and-back tensor, laid out as the input.
void ReturnFakeQuantized(Call& call) {
  RequireFloat(call, call.Meta(0).dtype);
  FollowInput(call, ReturnLike(call, call.Meta(0), call.Meta(0).dtype));
}

// Where values were inside the range, for the backward pass.
void ReturnMask(Call& call) { ReturnLike(call, call.Meta(0), ScalarType::Bool); }

// (self, scale, zero_point, quant_min, quant_max) with numbers
void RequireTensorNumbers(const Call& call) {
  RequireQuantRange(call);
  const Dim zero = call.DimArg(2);
  if (!Expect(Ge(zero, call.DimArg(3))) || !Expect(Le(zero, call.DimArg(4))))
    FailValue(call, "needs a zero_point between quant_min and quant_max, got " + zero.ToString());
}

void RequireOneElement(const Call& call, int argument) {
  if (!HasNumel(call.Meta(argument), 1))
    FailShape(call, "takes one scale and one zero point, not " + ToString(call.Meta(argument)));
}

void PerTensor(Call& call) {
  RequireTensorNumbers(call);
  ReturnFakeQuantized(call);
}

void PerTensorMask(Call& call) {
  PerTensor(call);
  ReturnMask(call);
}

// scale and zero_point are tensors.
void PerTensorParameters(Call& call) {
  RequireQuantRange(call);
  RequireOneElement(call, 1);
  RequireOneElement(call, 2);
  ReturnFakeQuantized(call);
}

void PerTensorParametersMask(Call& call) {
  PerTensorParameters(call);
  ReturnMask(call);
}

// (.., self, scale, zero_point, axis, ..): one scale and one zero point for each index of `axis`.
void RequireChannels(const Call& call, int self) {
  const TensorMeta& scale = call.Meta(self + 1);
  const TensorMeta& zero_point = call.Meta(self + 2);
  if (scale.rank() != 1 || zero_point.rank() != 1)
    FailShape(call, "takes 1-dim scales and zero points, not " + ToString(scale) + " and " + ToString(zero_point));
  const int64_t axis = call.Int(self + 3), rank = call.Meta(self).rank();
  if (axis < 0 || axis >= rank)
    Fail(ErrorClass::kIndexOutOfRange,
        OpName(call) + " needs an axis in [0, " + std::to_string(rank) + "), got " + std::to_string(axis));
  const Dim channels = call.Meta(self).sizes[axis];
  if (!Expect(Eq(scale.sizes[0], channels)) || !Expect(Eq(zero_point.sizes[0], channels)))
    FailShape(call, "takes " + channels.ToString() + " scales and zero points, not " + ToString(scale) + " and " +
                        ToString(zero_point));
}

void RequireScaleDtype(const Call& call) {
  const TensorMeta& scale = call.Meta(1);
  // The CPU kernel reads the scale as float32.
  const bool takes =
      scale.dtype == ScalarType::Float || (scale.dtype == ScalarType::BFloat16 && !call.device().is_cpu());
  if (!takes) FailDtype(call, "takes float32 scales, not " + ToString(scale));
}

void PerChannel(Call& call) {
  RequireScaleDtype(call);
  if (!Dtypes({ScalarType::Int, ScalarType::Float, ScalarType::Half}).Has(call.Meta(2).dtype))
    FailDtype(call, "takes int32, float32 or float16 zero points, not " + ToString(call.Meta(2)));
  RequireChannels(call, 0);
  RequireQuantRange(call);
  ReturnFakeQuantized(call);
}

void PerChannelMask(Call& call) {
  PerChannel(call);
  ReturnMask(call);
}

// (grad, mask)
void MaskBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  const TensorMeta& mask = call.Meta(1);
  if (mask.dtype != ScalarType::Bool) FailDtype(call, "takes a bool mask, not " + ToString(mask));
  if (!HasNumel(grad, Numel(mask.size_span())))
    FailShape(call, "takes a mask of the gradient's size, got " + ToString(mask) + " and " + ToString(grad));
  if (IsEmpty(grad)) return void(call.ReturnArgument(call.TensorArg(0)));
  call.ReturnNew(ElementwiseMeta(call, {0, 1}, grad.dtype));
}

// Scale and zero point are learned: the gradient reaches them too.
void LearnablePerTensor(Call& call) {
  for (int i : {1, 2}) {
    const TensorMeta& t = call.Meta(i);
    // The first element along the first dimension is what counts.
    if (t.rank() == 0 || !Expect(Gt(t.sizes[0], 0)) || !Expect(Eq(Numel(t.size_span().subspan(1)), 1)))
      FailShape(call, "takes a scale and a zero point of one dimension, not " + ToString(t.size_span()));
  }
  RequireQuantRange(call);
  RequireFloat(call, call.Meta(0).dtype);
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

void LearnablePerChannel(Call& call) {
  RequireScaleDtype(call);
  RequireChannels(call, 0);
  RequireQuantRange(call);
  RequireFloat(call, call.Meta(0).dtype);
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

// (grad, self, scale, zero_point, ...)
void RequireLearnableBackward(const Call& call) {
  // With a bfloat16 input everything is cast to float32 first.
  const bool casts = call.Meta(1).dtype == ScalarType::BFloat16;
  for (int i = 0; i < 4 && !casts; ++i)
    if (call.Meta(i).dtype != ScalarType::Float)
      FailDtype(call, "takes float32 tensors, not " + ToString(call.Meta(i)));
  RequireSameSizes(call, 0, 1);
  const Dim low = call.DimArg("quant_min"), high = call.DimArg("quant_max");
  if (!Expect(Le(low, 0)) || !Expect(Ge(high, 0)))
    FailValue(call, "needs a range that includes 0, got " + low.ToString() + " to " + high.ToString());
}

void ReturnLearnedGradients(Call& call, DimSpan sizes) {
  ReturnLike(call, call.Meta(1), ScalarType::Float);
  ReturnContiguous(call, sizes, ScalarType::Float);
  ReturnContiguous(call, sizes, ScalarType::Float);
}

void LearnablePerTensorBackward(Call& call) {
  RequireLearnableBackward(call);
  if (call.Meta(2).rank() == 0 || call.Meta(3).rank() == 0)
    FailShape(call, "takes a scale and a zero point of one dimension, not 0-dim ones");
  const Dims one = {1};
  ReturnLearnedGradients(call, one);
}

void LearnablePerChannelBackward(Call& call) {
  RequireLearnableBackward(call);
  RequireChannels(call, 1);
  // Summed over all dimensions but the axis, which for a single one leaves nothing to sum over but that.
  ReturnLearnedGradients(call, call.Meta(1).rank() == 1 ? DimSpan() : call.Meta(2).size_span());
}

// (self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min,
// quant_max, ch_axis, per_row_fake_quant, symmetric_quant)
void RequireObserved(const Call& call) {
  const int64_t axis = call.Int(10), rank = call.Meta(0).rank();
  if (axis >= rank)
    Fail(ErrorClass::kIndexOutOfRange,
        OpName(call) + " needs a ch_axis below " + std::to_string(rank) + ", got " + std::to_string(axis));
  if (call.Bool(11) && axis != 0) FailValue(call, "quantizes rows along axis 0 only, not " + std::to_string(axis));
}

// Data of the observer: autograd does not see the writes.
void WriteObserver(Call& call) {
  for (size_t i = 0; i < call.size(); ++i) {
    if (!call.schema().arguments[i].is_write) continue;
    call.Write(call.TensorArg(static_cast<int>(i)));
    call.effects().mutations.back().differentiable = false;
  }
}

void Observe(Call& call) {
  RequireObserved(call);
  ReturnFakeQuantized(call);
  WriteObserver(call);
}

void ObserveMask(Call& call) {
  Observe(call);
  ReturnMask(call);
}

void ObserveFunctional(Call& call) {
  ObserveMask(call);
  for (int i = 3; i < 7; ++i) ReturnLike(call, call.Meta(i), call.Meta(i).dtype).requires_grad = false;
}

constexpr RuleRow kRows[] = {
    {"aten::fake_quantize_per_tensor_affine", PerTensor},
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams", PerTensorParameters},
    {"aten::fake_quantize_per_tensor_affine_cachemask", PerTensorMask},
    {"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", PerTensorParametersMask},
    {"aten::fake_quantize_per_tensor_affine_cachemask_backward", MaskBackward},
    {"aten::fake_quantize_per_channel_affine", PerChannel},
    {"aten::fake_quantize_per_channel_affine_cachemask", PerChannelMask},
    {"aten::fake_quantize_per_channel_affine_cachemask_backward", MaskBackward},
    {"aten::_fake_quantize_learnable_per_tensor_affine", LearnablePerTensor},
    {"aten::_fake_quantize_learnable_per_tensor_affine_backward", LearnablePerTensorBackward},
    {"aten::_fake_quantize_learnable_per_channel_affine", LearnablePerChannel},
    {"aten::_fake_quantize_learnable_per_channel_affine_backward", LearnablePerChannelBackward},
    {"aten::fused_moving_avg_obs_fake_quant", Observe},
    {"aten::_fused_moving_avg_obs_fq_helper", ObserveMask},
    {"aten::_fused_moving_avg_obs_fq_helper_functional", ObserveFunctional},
    {"aten::_choose_qparams_per_tensor", DataDependent},
};

}  // namespace

RuleRows FakeQuantizeRules() { return kRows; }

}  // namespace fakeprop::rules
