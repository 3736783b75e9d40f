// Fake quantization: rounding in floating point, with the mask that the gradient needs, and its observers.
// Source: aten/src/ATen/native/quantized/{FakeQuantPerTensorAffine,FakeQuantPerChannelAffine,FusedObsFakeQuant}.cpp
// (torch 2.13). Python runs most of these as CPU kernels on zeros. Their checks of the values in scales and zero points
// are left out.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {
namespace {

void RequireQuantRange(const Call& call) {
  const Dim low = call.DimArg("quant_min"), high = call.DimArg("quant_max");
  RequireValue(call, Le(low, high), {"needs a quant_min not above quant_max, got {} and {}", low, high});
}

Output& ReturnFloatLikeSelf(Call& call) { return ReturnLike(call, call.In("self").Takes(kFloating)); }

// The quantized-and-back tensor, laid out as the input. Autograd follows the input alone, not the scale.
void ReturnFakeQuantized(Call& call) {
  ReturnFloatLikeSelf(call);
  FollowOnly(call, {"self"});
}

// Where values were inside the range, for the backward pass.
void ReturnMask(Call& call) { ReturnLike(call, call.In("self"), ScalarType::Bool); }

void RequireTensorNumbers(const Call& call) {
  RequireQuantRange(call);
  const Dim zero = call.DimArg("zero_point");
  RequireValue(call, {Ge(zero, call.DimArg("quant_min")), Le(zero, call.DimArg("quant_max"))},
      {"needs a zero_point between quant_min and quant_max, got {}", zero});
}

// scale and zero_point are tensors.
void RequireTensorParameters(const Call& call) {
  RequireQuantRange(call);
  call.Each({"scale", "zero_point"}).NumelIs(1, "takes one scale and one zero point, not {tensor}");
}

// One scale and one zero point for each index of `axis`.
void RequireChannels(const Call& call) {
  const Operand self = call.In("self"), scale = call.In("scale"), zero_point = call.In("zero_point");
  const Operands both{scale, zero_point};
  both.Rank(1, {"takes 1-dim scales and zero points, not {} and {}", *scale, *zero_point});
  const int64_t axis = call.Int("axis"), rank = self->rank();
  RequireIndex(call, axis >= 0 && axis < rank, {"needs an axis in [0, {}), got {}", rank, axis});
  const Dim channels = self->sizes[axis];
  both.Size(0, channels, {"takes {} scales and zero points, not {} and {}", channels, *scale, *zero_point});
}

// The CPU kernel reads the scale as float32.
void RequireScaleDtype(const Call& call) {
  const Dtypes half = call.OnCpu() ? Dtypes() : ScalarType::BFloat16;
  call.In("scale").Takes(half | ScalarType::Float, "takes float32 scales, not {tensor}");
}

void RequireZeroDtype(const Call& call) {
  call.In("zero_point").Takes({ScalarType::Int, ScalarType::Float, ScalarType::Half});
}

constexpr Rule FakeQuantizedPerChannel =
    InOrder<RequireScaleDtype, RequireZeroDtype, RequireChannels, RequireQuantRange, ReturnFakeQuantized>;

void MaskBackward(Call& call) {
  const Operand grad = call.In("grad"), mask = call.In("mask");
  mask.Takes(ScalarType::Bool, "takes a bool mask, not {tensor}");
  grad.NumelIs(mask.Numel(), {"takes a mask of the gradient's size, got {} and {tensor}", *mask});
  if (IsEmpty(grad)) return void(call.ReturnArgument(grad.tensor()));
  call.ReturnNew(ElementwiseMeta(call, {"grad", "mask"}, grad->dtype));
}

// Of a scale and a zero point that are learned, only the first element along the first dimension counts.
void RequireFirstElements(const Call& call) {
  for (const Operand& t : call.Each({"scale", "zero_point"}))
    t.Require(t->rank() > 0 && Expect(Gt(t->sizes[0], 0)) && Expect(Eq(Numel(t->size_span().subspan(1)), 1)),
        "takes a scale and a zero point of one dimension, not {}");
}

void RequireLearnableBackward(const Call& call) {
  const Operand self = call.In("self");
  // With a bfloat16 input everything is cast to float32 first.
  if (self->dtype != ScalarType::BFloat16)
    call.Each({"grad", "self", "scale", "zero_point"}).Takes(ScalarType::Float, "takes float32 tensors, not {tensor}");
  call.In("grad").SameSizesAs(self);
  const Dim low = call.DimArg("quant_min"), high = call.DimArg("quant_max");
  RequireValue(call, {Le(low, 0), Ge(high, 0)}, {"needs a range that includes 0, got {} to {}", low, high});
}

void ReturnLearnedGradients(Call& call, DimSpan sizes) {
  ReturnLike(call, call.In("self"), ScalarType::Float);
  ReturnContiguous(call, sizes, ScalarType::Float);
  ReturnContiguous(call, sizes, ScalarType::Float);
}

void LearnablePerTensorBackward(Call& call) {
  RequireLearnableBackward(call);
  call.Each({"scale", "zero_point"}).RankAtLeast(1, "takes a scale and a zero point of one dimension, not 0-dim ones");
  ReturnLearnedGradients(call, Dims{1});
}

void LearnablePerChannelBackward(Call& call) {
  RequireLearnableBackward(call);
  RequireChannels(call);
  // The sum is over all dimensions but the axis. Where that is the only one, no dimension is left.
  ReturnLearnedGradients(call, call.In("self")->rank() == 1 ? DimSpan() : call.In("scale")->size_span());
}

// ---- observers

// What an observer keeps.
constexpr ArgumentName kObserved[] = {"running_min", "running_max", "scale", "zero_point"};

void RequireObserved(const Call& call) {
  const int64_t axis = call.Int("ch_axis"), rank = call.In("self")->rank();
  RequireIndex(call, axis < rank, {"needs a ch_axis below {}, got {}", rank, axis});
  RequireValue(call, !call.Bool("per_row_fake_quant") || axis == 0, {"quantizes rows along axis 0 only, not {}", axis});
  for (const Operand& is_on : call.Each({"observer_on", "fake_quant_on"}))
    is_on.NumelIs(
        1, {"takes a switch of one element, not {tensor}: a Tensor with {} elements cannot be converted to Scalar",
               is_on.Numel()});
}

void RequireUnfollowedObserver(const Call& call) { RequireNoGrad(call, {"running_min", "running_max", "scale"}); }

// Data of the observer: autograd does not see the writes.
void WriteObserver(Call& call) {
  for (ArgumentName name : kObserved) call.WriteUnfollowed(call.In(name).tensor());
}

void ReturnObserver(Call& call) {
  for (ArgumentName name : kObserved) ReturnLike(call, call.In(name)).requires_grad = false;
}

// Nothing is observed of an empty tensor: it is copied.
void ObservedFakeQuant(Call& call) {
  if (IsKnownEmpty(call.In("self"))) {
    ReturnLikeSelf(call);
    return FollowOnly(call, {"self"});
  }
  InOrder<RequireObserved, RequireUnfollowedObserver, ReturnFakeQuantized, WriteObserver>(call);
}

constexpr RuleRow kRows[] = {
    {"aten::fake_quantize_per_tensor_affine", InOrder<RequireTensorNumbers, ReturnFakeQuantized>},
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams", InOrder<RequireTensorParameters, ReturnFakeQuantized>},
    {"aten::fake_quantize_per_tensor_affine_cachemask", InOrder<RequireTensorNumbers, ReturnFakeQuantized, ReturnMask>},
    {"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
        InOrder<RequireTensorParameters, ReturnFakeQuantized, ReturnMask>},
    {"aten::fake_quantize_per_tensor_affine_cachemask_backward", MaskBackward},
    {"aten::fake_quantize_per_channel_affine", FakeQuantizedPerChannel},
    {"aten::fake_quantize_per_channel_affine_cachemask", InOrder<FakeQuantizedPerChannel, ReturnMask>},
    {"aten::fake_quantize_per_channel_affine_cachemask_backward", MaskBackward},
    {"aten::_fake_quantize_learnable_per_tensor_affine",
        InOrder<RequireFirstElements, RequireQuantRange, ReturnFloatLikeSelf>},
    {"aten::_fake_quantize_learnable_per_tensor_affine_backward", LearnablePerTensorBackward},
    {"aten::_fake_quantize_learnable_per_channel_affine",
        InOrder<RequireScaleDtype, RequireChannels, RequireQuantRange, ReturnFloatLikeSelf>},
    {"aten::_fake_quantize_learnable_per_channel_affine_backward", LearnablePerChannelBackward},
    {"aten::fused_moving_avg_obs_fake_quant", ObservedFakeQuant},
    {"aten::_fused_moving_avg_obs_fq_helper", InOrder<RequireObserved, ReturnFakeQuantized, WriteObserver, ReturnMask>},
    {"aten::_fused_moving_avg_obs_fq_helper_functional",
        InOrder<RequireObserved, ReturnFakeQuantized, ReturnMask, ReturnObserver>},
    {"aten::_choose_qparams_per_tensor", DataDependent},
};

}  // namespace

RuleRows FakeQuantizeRules() { return kRows; }

}  // namespace fakeprop::rules
