// Gradients of activation functions and of elementary functions: elementwise over the gradient and what it needs.
// Source: aten/src/ATen/native/Activation.cpp, BinaryOps.cpp; derivatives' kernels as TensorIterators (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/elementwise.h"
#include "lib/rules/families.h"
#include "lib/rules/results.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
namespace {

using enum Promotion;

// glu's gradient has the shape of its whole input.
void GluBackward(Call& call) {
  const TensorMeta& self = call.Meta(1);
  const int64_t dim = WrapDim(call.Int(2), self.rank());
  if (!Expect(Eq(Mod(SizeAt(self, dim), 2), 0))) FailShape(call, "halves a dimension of odd size");
  ReturnContiguous(call, self.size_span(), self.dtype);
}

// The gradients for input and weight, both over the broadcast shape.
void PreluBackward(Call& call) {
  const ScalarType dtype = PromotedDtype(call, {0, 1, 2});
  const TensorMeta meta = ElementwiseMeta(call, {0, 1, 2}, dtype);
  call.ReturnNew(meta);
  call.ReturnNew(meta);
}

// The gradient through values that were replaced: as the gradient is laid out.
void LikeGradient(Call& call) { ReturnLike(call, call.Meta(0), call.Meta(0).dtype); }

void ThresholdBackward(Call& call) {
  if (PromotedDtype(call, {0, 1}) == ScalarType::Bool) FailDtype(call, "is not defined for bool tensors");
  Pointwise<kDefault, 0, 1>(call);
}

void LogSigmoidBackward(Call& call) {
  if (call.Meta(1).dtype == ScalarType::Bool) FailDtype(call, "is not defined for bool tensors");
  Pointwise<kDefault, 0, 1>(call);
}

constexpr RuleRow kRows[] = {
    {"aten::threshold_backward", ThresholdBackward},
    {"aten::leaky_relu_backward", Pointwise<kDefault, 0, 1>},
    {"aten::gelu_backward", Pointwise<kDefault, 0, 1>},
    {"aten::silu_backward", Pointwise<kDefault, 0, 1>},
    {"aten::mish_backward", Pointwise<kDefault, 0, 1>},
    {"aten::elu_backward", Pointwise<kDefault, 0, 5>},
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
    {"aten::rrelu_with_noise_backward", Pointwise<kDefault, 0, 1, 2>},
    {"aten::glu_backward", GluBackward},
    {"aten::_prelu_kernel_backward", PreluBackward},
    {"aten::native_dropout_backward", Pointwise<kIntToFloat, 0, 1>},
    {"aten::_masked_scale", LikeGradient},
    {"aten::infinitely_differentiable_gelu_backward", Pointwise<kDefault, 0, 1>},
};

}  // namespace

RuleRows ActivationBackwardRules() { return kRows; }

}  // namespace fakeprop
