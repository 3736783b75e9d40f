// Fake quantisation: rounding in floating point, with the mask that the gradient needs.
// Source: aten/src/ATen/native/quantized/FakeQuantPerTensorAffine.cpp, FakeQuantPerChannelAffine.cpp (torch 2.13).
#include "lib/rules/elementwise.h"
#include "lib/rules/families.h"
#include "lib/rules/results.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
namespace {

void RequireRange(const Call& call) {
  if (call.Int(call.Index("quant_min")) > call.Int(call.Index("quant_max")))
    FailValue(call, "takes a quant_min that is not above quant_max");
}

// A scale and zero point for each channel of `axis`.
void RequireChannels(const Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t axis = call.Int(3);
  if (axis < 0 || axis >= self.rank())
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " has no axis " + std::to_string(axis) + " in shape " +
                                           ToString(self.size_span()));
  for (int i : {1, 2}) {
    RequireRank(call, i, 1);
    if (!Expect(Eq(call.Meta(i).sizes[0], self.sizes[axis])))
      FailShape(call, "takes a scale and a zero point for each of " + self.sizes[axis].ToString() + " channels");
  }
}

void ReturnQuantized(Call& call) {
  RequireRange(call);
  RequireFloat(call, call.Meta(0).dtype);
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

void PerTensor(Call& call) { ReturnQuantized(call); }

void PerTensorWithMask(Call& call) {
  ReturnQuantized(call);
  ReturnLike(call, call.Meta(0), ScalarType::Bool);
}

void PerChannel(Call& call) {
  RequireChannels(call);
  ReturnQuantized(call);
}

void PerChannelWithMask(Call& call) {
  RequireChannels(call);
  const ScalarType scale = call.Meta(1).dtype;
  if (scale != ScalarType::Float && scale != ScalarType::BFloat16) FailDtype(call, "takes a float32 or bfloat16 scale");
  PerTensorWithMask(call);
}

void MaskBackward(Call& call) {
  if (call.Meta(1).dtype != ScalarType::Bool) FailDtype(call, "takes a bool mask");
  if (!Expect(Eq(Numel(call.Meta(0).size_span()), Numel(call.Meta(1).size_span()))))
    FailShape(call, "takes a mask of as many elements as the gradient");
  Pointwise<Promotion::kDefault, 0, 1>(call);
}

// Gradients of the input, the scale and the zero point.
void LearnableBackward(Call& call) {
  RequireRange(call);
  for (int i : {0, 1, 2, 3}) {
    const ScalarType dtype = call.Meta(i).dtype;
    if (dtype != ScalarType::Float && dtype != ScalarType::BFloat16)
      FailDtype(call, "takes float32 or bfloat16 tensors only");
    if (i > 1 && call.Meta(i).rank() == 0) RequireRank(call, i, 1);
  }
  ReturnLike(call, call.Meta(1), call.Meta(1).dtype);
  ReturnContiguous(call, call.Meta(2).size_span(), call.Meta(2).dtype);
  ReturnContiguous(call, call.Meta(3).size_span(), call.Meta(3).dtype);
}

void LearnableChannelBackward(Call& call) {
  const TensorMeta& self = call.Meta(1);
  const int64_t axis = call.Int(4);
  const bool fits = axis >= 0 && axis < self.rank() && call.Meta(2).rank() == 1 &&
                    Expect(Eq(call.Meta(2).sizes[0], self.sizes[axis]));
  if (!fits) FailShape(call, "takes a scale and a zero point for each channel of axis " + std::to_string(axis));
  LearnableBackward(call);
}

constexpr RuleRow kRows[] = {
    {"aten::fake_quantize_per_tensor_affine", PerTensor},
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams", PerTensor},
    {"aten::fake_quantize_per_tensor_affine_cachemask", PerTensorWithMask},
    {"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", PerTensorWithMask},
    {"aten::fake_quantize_per_tensor_affine_cachemask_backward", MaskBackward},
    {"aten::fake_quantize_per_channel_affine", PerChannel},
    {"aten::fake_quantize_per_channel_affine_cachemask", PerChannelWithMask},
    {"aten::fake_quantize_per_channel_affine_cachemask_backward", MaskBackward},
    {"aten::_fake_quantize_learnable_per_tensor_affine", PerTensor},
    {"aten::_fake_quantize_learnable_per_tensor_affine_backward", LearnableBackward},
    {"aten::_fake_quantize_learnable_per_channel_affine", PerChannel},
    {"aten::_fake_quantize_learnable_per_channel_affine_backward", LearnableChannelBackward},
    {"aten::_choose_qparams_per_tensor", DataDependent},
};

}  // namespace

RuleRows FakeQuantizeRules() { return kRows; }

}  // namespace fakeprop
