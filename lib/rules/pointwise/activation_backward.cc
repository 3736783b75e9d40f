// Gradients of activation functions and of elementary functions: elementwise over the gradient and what it needs.
// Source: aten/src/ATen/native/Activation.cpp, BinaryOps.cpp; derivatives' kernels as TensorIterators (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// glu's gradient has the shape of its whole input.
void GluBackward(Call& call) {
  const Operand self = call.In("self");
  const int64_t dim = call.WrappedDim("dim", self);
  RequireShape(call, Divides(2, SizeAt(self, dim)), "halves a dimension of odd size");
  Dims half = self->sizes;
  half[dim] = FloorDiv(half[dim], 2);
  const Operand grad = call.In("grad_output").BroadcastsTo(half, {"takes a gradient of {}, not {}", half});
  if (call.OnCpu()) grad.SameDtypeAs(self);
  ReturnContiguous(call, self, PromotedDtype(call, {"grad_output", "self"}));
}

// A result over operands of one dtype. It is laid out as `like`, unless broadcasting made it larger.
void ReturnOver(Call& call, const TensorMeta& like, std::span<const TensorMeta* const> operands) {
  const TensorMeta out = ElementwiseMeta(operands, like.dtype, call.device());
  if (GuardSameOrFalse(out.size_span(), like.size_span())) return void(ReturnLike(call, like, like.dtype));
  call.ReturnNew(out);
}

void RequireNoNumbers(const Call& call, const TensorMeta& a, const TensorMeta& b) {
  RequireIndex(call, a.rank() > 0 && b.rank() > 0, "does not take 0-dim tensors");
}

// The tangent of glu, with x halved at glu's size. Source: at::native::glu_jvp.
void GluJvp(Call& call) {
  const Operand glu = call.In("glu"), x = call.In("x"), dx = call.In("dx");
  RequireNoNumbers(call, x, glu);
  const int64_t dim = call.WrappedDim("dim", x);
  const Dim half = glu->sizes[WrapDim(dim, glu->rank())];
  const TensorMeta gate = NarrowedMeta(x, dim, half, half);
  const TensorMeta da = NarrowedMeta(dx, dim, 0, half), db = NarrowedMeta(dx, dim, half, half);
  glu.SameDtypeAs(x).SameDtypeAs(dx);
  RequireFullFloat(call, glu->dtype);
  const TensorMeta* operands[] = {&*glu, &gate, &da, &db};
  ReturnOver(call, glu, operands);
}

// The tangent of glu's gradient: two halves that are joined. Source: at::native::glu_backward_jvp.
void GluBackwardJvp(Call& call) {
  const Operand grad_x = call.In("grad_x"), grad_glu = call.In("grad_glu"), x = call.In("x");
  RequireNoNumbers(call, x, grad_glu);
  const int64_t dim = call.WrappedDim("dim", x);
  const Dim half = grad_glu->sizes[WrapDim(dim, grad_glu->rank())];
  const TensorMeta first = NarrowedMeta(grad_x, dim, 0, half), gate = NarrowedMeta(x, dim, half, half);
  const TensorMeta tangent = NarrowedMeta(call.In("dx"), dim, half, half);
  const ScalarType promoted = PromotedDtype(call, {"grad_x", "grad_glu", "x", "dgrad_glu", "dx"});
  const ScalarType dtype = ApplyPromotion(promoted, kIntToFloat, call.state());
  const TensorMeta* operands[] = {&first, &*grad_glu, &gate, &*call.In("dgrad_glu"), &tangent};
  const TensorMeta part = ElementwiseMeta(operands, dtype, call.device());
  Dims sizes = part.sizes;
  sizes[dim] = sizes[dim] + sizes[dim];
  call.ReturnNew(MetaInFormat(sizes, dtype, call.device(), SuggestMemoryFormat(part)));
}

// A result in the input's place does not tell what the input was where the slope is negative.
template <Rule Backward, ArgumentName kSlope, ArgumentName kIsResult>
void OfSlope(Call& call) {
  RequireValue(call, !(call.Bool(kIsResult) && call.Float(kSlope) < 0),
      {"has no gradient by the result for a negative slope, {}", call.Arg(kSlope)});
  Backward(call);
}

// The gradients for input and weight, both over the broadcast shape.
void PreluBackward(Call& call) {
  call.In("grad_output").SameDtypeAs(call.In("self")).SameDtypeAs(call.In("weight"));
  const ScalarType dtype = PromotedDtype(call, {"grad_output", "self", "weight"});
  const TensorMeta meta = ElementwiseMeta(call, {"self", "weight", "grad_output"}, dtype);
  call.ReturnNew(meta);
  call.ReturnNew(meta);
}

// The gradient of _fused_dropout. Source: meta__masked_scale, whose clone has the gradient's format.
void MaskedScale(Call& call) {
  const Operand grad = call.In("self");
  call.ReturnNew(MetaInFormat(grad->size_span(), grad->dtype, call.device(), SuggestMemoryFormat(grad)));
}

void ThresholdBackward(Call& call) {
  RequireDtype(call, PromotedDtype(call, {"grad_output", "self"}), kNotBool);
  Pointwise<kDefault, "self", "grad_output">(call);
}

// The cpu kernel reads the buffer; other kernels do not.
void LogSigmoidBackward(Call& call) {
  const Operand self = call.In("self").Takes(kNotBool);
  if (!call.OnCpu()) return Pointwise<kDefault, "grad_output", "self">(call);
  call.In("grad_output").SameDtypeAs(self).SameDtypeAs(call.In("buffer"));
  Pointwise<kDefault, "grad_output", "self", "buffer">(call);
}

// In training a product with the noise, else leaky_relu's gradient, which reads self.
// Source: at::native::rrelu_with_noise_backward.
void RreluBackward(Call& call) {
  const bool scaled = call.Bool("training") && call.Float("upper") - call.Float("lower") > 1e-6;
  RequireDeviceOfFirst(call, {"grad_output", scaled ? ArgumentName("noise") : "self"});
  scaled ? Pointwise<kDefault, "noise", "grad_output">(call) : Pointwise<kDefault, "self", "grad_output">(call);
}

// The mask is converted to the gradient's dtype and device. CUDA's kernel lays the result out anew.
void DropoutBackward(Call& call) {
  const ScalarType promoted = PromotedDtype(call, {"grad_output", "mask"});
  const ScalarType dtype = ApplyPromotion(promoted, kIntToFloat, call.state());
  TensorMeta out = ElementwiseMeta(call, {"grad_output", "mask"}, dtype);
  if (!out.device.is_cpu())
    out = MetaInFormat(out.sizes, dtype, out.device, SuggestMemoryFormat(call.In("grad_output")));
  call.ReturnNew(std::move(out));
}

// Some steps run in place, so that the gradient must fit self's sizes.
void DifferentiableGeluBackward(Call& call) {
  const Operand grad = call.In("grad"), self = call.In("self");
  grad.BroadcastsTo(self->sizes);
  Checked<kNotComplex, kDefault, "self", "grad">(call);
}

constexpr Rule kOverGradAndSelf = Pointwise<kDefault, "grad_output", "self">;

constexpr RuleRow kRows[] = {
    {"aten::threshold_backward", ThresholdBackward, Overlap::kAllowedInOut},
    {"aten::leaky_relu_backward",
        OfSlope<Pointwise<kDefault, "self", "grad_output">, "negative_slope", "self_is_result">, OutDtype::kCast},
    {"aten::gelu_backward", kOverGradAndSelf},
    {"aten::silu_backward", kOverGradAndSelf},
    {"aten::mish_backward", kOverGradAndSelf},
    {"aten::elu_backward", OfSlope<Pointwise<kDefault, "grad_output", "self_or_result">, "alpha", "is_result">,
        OutDtype::kCast},
    {"aten::hardtanh_backward", kOverGradAndSelf, OutDtype::kCast},
    {"aten::hardsigmoid_backward", kOverGradAndSelf, OutDtype::kCast},
    {"aten::hardswish_backward", kOverGradAndSelf},
    {"aten::hardshrink_backward", Pointwise<kDefault, "grad_out", "self">,
        OutDtype::kCast | OutStrides::kOfResultEverywhere},
    {"aten::softshrink_backward", kOverGradAndSelf, OutDtype::kCast | OutStrides::kOfResultEverywhere},
    {"aten::softplus_backward", kOverGradAndSelf, OutDtype::kCast},
    {"aten::sigmoid_backward", Pointwise<kDefault, "grad_output", "output">},
    {"aten::tanh_backward", Pointwise<kDefault, "grad_output", "output">},
    {"aten::logit_backward", kOverGradAndSelf, OutStrides::kOfResultEverywhere},
    {"aten::log_sigmoid_backward", LogSigmoidBackward},
    {"aten::rrelu_with_noise_backward", RreluBackward, Devices::kAny},
    {"aten::glu_backward", GluBackward},
    {"aten::glu_jvp", GluJvp},
    {"aten::glu_backward_jvp", GluBackwardJvp},
    {"aten::_prelu_kernel_backward", PreluBackward},
    {"aten::native_dropout_backward", DropoutBackward, Devices::kAny},
    {"aten::_masked_scale", MaskedScale},
    {"aten::infinitely_differentiable_gelu_backward", DifferentiableGeluBackward},
};

}  // namespace

RuleRows ActivationBackwardRules() { return kRows; }

}  // namespace fakeprop::rules
