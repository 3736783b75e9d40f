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
  const TensorMeta& self = call.Meta(1);
  const int64_t dim = WrapDim(call.Int(2), self.rank());
  if (!Expect(Eq(Mod(SizeAt(self, dim), 2), 0))) FailShape(call, "halves a dimension of odd size");
  Dims half = self.sizes;
  half[dim] = FloorDiv(half[dim], 2);
  if (!CanExpandTo(call.Meta(0).size_span(), half))
    FailShape(call, "takes a gradient of " + ToString(DimSpan(half)) + ", not " + ToString(call.Meta(0).size_span()));
  if (call.Meta(0).dtype != self.dtype && call.device().is_cpu()) RequireSameDtype(call, 0, 1);
  ReturnContiguous(call, self.size_span(), PromotedDtype(call, {0, 1}));
}

// Operands of one dtype, over `like`'s shape and laid out as it, unless they broadcast beyond.
void ReturnOver(Call& call, const TensorMeta& like, std::span<const TensorMeta* const> operands) {
  const TensorMeta out = ElementwiseMeta(operands, like.dtype, call.device());
  if (GuardSameOrFalse(out.size_span(), like.size_span())) return void(ReturnLike(call, like, like.dtype));
  call.ReturnNew(out);
}

// The tangent of glu. Source: at::native::glu_jvp: (glu, x, dx, dim), x halved at glu's size.
void GluJvp(Call& call) {
  const TensorMeta &glu = call.Meta(0), &x = call.Meta(1), &dx = call.Meta(2);
  if (x.rank() == 0 || glu.rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " does not take 0-dim tensors");
  const int64_t dim = WrapDim(call.Int(3), x.rank());
  const Dim half = glu.sizes[WrapDim(dim, glu.rank())];
  const TensorMeta gate = NarrowedMeta(x, dim, half, half);
  const TensorMeta da = NarrowedMeta(dx, dim, 0, half), db = NarrowedMeta(dx, dim, half, half);
  RequireSameDtype(call, 0, 1);
  RequireSameDtype(call, 0, 2);
  RequireFullFloat(call, glu.dtype);
  const TensorMeta* operands[] = {&glu, &gate, &da, &db};
  ReturnOver(call, glu, operands);
}

// The tangent of glu's gradient: (grad_x, grad_glu, x, dgrad_glu, dx, dim), two halves that are joined.
// Source: at::native::glu_backward_jvp.
void GluBackwardJvp(Call& call) {
  const TensorMeta& grad_glu = call.Meta(1);
  if (call.Meta(2).rank() == 0 || grad_glu.rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " does not take 0-dim tensors");
  const int64_t dim = WrapDim(call.Int(5), call.Meta(2).rank());
  const Dim half = grad_glu.sizes[WrapDim(dim, grad_glu.rank())];
  const TensorMeta first = NarrowedMeta(call.Meta(0), dim, 0, half);
  const TensorMeta gate = NarrowedMeta(call.Meta(2), dim, half, half),
                   tangent = NarrowedMeta(call.Meta(4), dim, half, half);
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {0, 1, 2, 3, 4}), kIntToFloat, call.state());
  const TensorMeta* operands[] = {&first, &grad_glu, &gate, &call.Meta(3), &tangent};
  const TensorMeta part = ElementwiseMeta(operands, dtype, call.device());
  Dims sizes = part.sizes;
  sizes[dim] = sizes[dim] + sizes[dim];
  call.ReturnNew(MetaInFormat(sizes, dtype, call.device(), SuggestMemoryFormat(part)));
}

// With a result in the input's place and a negative slope nothing tells what the input was.
template <Rule Backward, int Slope, int IsResult>
void OfSlope(Call& call) {
  if (call.Bool(IsResult) && call.Float(Slope) < 0)
    FailValue(call, "has no gradient by the result for a negative slope, " + ToString(call.Arg(Slope)));
  Backward(call);
}

// The gradients for input and weight, both over the broadcast shape.
void PreluBackward(Call& call) {
  for (int i : {1, 2}) RequireSameDtype(call, 0, i);
  const ScalarType dtype = PromotedDtype(call, {0, 1, 2});
  const TensorMeta meta = ElementwiseMeta(call, {1, 2, 0}, dtype);
  call.ReturnNew(meta);
  call.ReturnNew(meta);
}

// The gradient through values that were replaced. Source: meta__masked_scale, whose clone is of the gradient's format.
void MaskedScale(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  call.ReturnNew(MetaInFormat(grad.size_span(), grad.dtype, call.device(), SuggestMemoryFormat(grad)));
}

void ThresholdBackward(Call& call) {
  if (PromotedDtype(call, {0, 1}) == ScalarType::Bool) FailDtype(call, "is not defined for bool tensors");
  Pointwise<kDefault, 1, 0>(call);
}

// The kernel for cpu reads the buffer, others do without.
void LogSigmoidBackward(Call& call) {
  if (call.Meta(1).dtype == ScalarType::Bool) FailDtype(call, "is not defined for bool tensors");
  if (!call.device().is_cpu()) return Pointwise<kDefault, 0, 1>(call);
  for (int i : {1, 2}) RequireSameDtype(call, 0, i);
  Pointwise<kDefault, 0, 1, 2>(call);
}

// In training a product with the noise, else leaky_relu's gradient, which looks at self.
// Source: at::native::rrelu_with_noise_backward.
void RreluBackward(Call& call) {
  const bool scaled = call.Bool(5) && call.Float(4) - call.Float(3) > 1e-6;
  RequireDeviceOfFirst(call, {0, scaled ? 2 : 1});
  scaled ? Pointwise<kDefault, 2, 0>(call) : Pointwise<kDefault, 1, 0>(call);
}

// The mask is converted to the gradient's dtype and device. CUDA's kernel lays the result out anew.
void DropoutBackward(Call& call) {
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {0, 1}), kIntToFloat, call.state());
  TensorMeta out = ElementwiseMeta(call, {0, 1}, dtype);
  if (!out.device.is_cpu()) out = MetaInFormat(out.sizes, dtype, out.device, SuggestMemoryFormat(call.Meta(0)));
  call.ReturnNew(std::move(out));
}

// Steps in place want self's sizes.
void DifferentiableGeluBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &self = call.Meta(1);
  if (!CanExpandTo(grad.size_span(), self.size_span()))
    FailShape(
        call, "a gradient " + ToString(grad.size_span()) + " does not broadcast to " + ToString(self.size_span()));
  Checked<kNotComplex, kDefault, 1, 0>(call);
}

constexpr RuleRow kRows[] = {
    {"aten::threshold_backward", ThresholdBackward},
    {"aten::leaky_relu_backward", OfSlope<Pointwise<kDefault, 1, 0>, 2, 3>},
    {"aten::gelu_backward", Pointwise<kDefault, 0, 1>},
    {"aten::silu_backward", Pointwise<kDefault, 0, 1>},
    {"aten::mish_backward", Pointwise<kDefault, 0, 1>},
    {"aten::elu_backward", OfSlope<Pointwise<kDefault, 0, 5>, 1, 4>},
    {"aten::hardtanh_backward", Pointwise<kDefault, 0, 1>},
    {"aten::hardsigmoid_backward", Pointwise<kDefault, 0, 1>},
    {"aten::hardswish_backward", Pointwise<kDefault, 0, 1>},
    {"aten::hardshrink_backward", Pointwise<kDefault, 0, 1>},
    {"aten::softshrink_backward", Pointwise<kDefault, 0, 1>},
    {"aten::softplus_backward", Pointwise<kDefault, 0, 1>},
    {"aten::sigmoid_backward", Pointwise<kDefault, 0, 1>},
    {"aten::tanh_backward", Pointwise<kDefault, 0, 1>},
    {"aten::logit_backward", Pointwise<kDefault, 0, 1>},
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
