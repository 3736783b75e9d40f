// Activation functions and dropout.
// Source: aten/src/ATen/native/Activation.cpp, Dropout.cpp; torch/_refs/nn/functional, _decomp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

void Gelu(Call& call) {
  const std::string_view approximate = call.String(1);
  if (approximate != "none" && approximate != "tanh")
    FailValue(call, "takes the approximation 'none' or 'tanh', not '" + std::string(approximate) + "'");
  Checked<kFloating, kDefault, 0>(call);
}

void SoftShrink(Call& call) {
  if (call.Float(1) < 0) FailValue(call, "takes a lambda of at least 0, not " + ToString(call.Arg(1)));
  Checked<kFloating, kDefault, 0>(call);
}

// Halves a dimension: one half gates the other.
void Glu(Call& call) {
  const TensorMeta& self = call.Meta(0);
  if (self.rank() == 0) FailShape(call, "does not take 0-dim tensors");
  RequireFloat(call, self.dtype);
  const int64_t dim = WrapDim(call.Int(1), self.rank());
  if (!Expect(Eq(Mod(self.sizes[dim], 2), 0)))
    FailShape(call, "halves dimension " + std::to_string(dim) + ", which has size " + self.sizes[dim].ToString());
  TensorMeta half = self;
  half.sizes[dim] = FloorDiv(self.sizes[dim], 2);
  const TensorMeta* operands[] = {&half};
  call.ReturnNew(ElementwiseMeta(operands, self.dtype, call.device()));
}

// Source: at::native::prelu: a weight of one element, or one for each channel.
void Prelu(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const TensorMeta& weight = call.Meta(1);
  RequireSameDtype(call, 0, 1);
  if (self.rank() > 0 && weight.device != self.device)  // the weight is viewed with self's dimensions
    Fail(ErrorClass::kDeviceMismatch, OpName(call) + " takes self and weight on one device",
        {&call.TensorArg(0), &call.TensorArg(1)});
  if (weight.rank() > 1)
    FailShape(call, "takes a weight of at most 1 dimension, but got " + ToString(weight.size_span()));
  if (weight.rank() == 1 && !GuardOrFalse(Eq(weight.sizes[0], 1))) {
    if (self.rank() == 0) FailShape(call, "does not take 0-dim tensors with a weight for each channel");
    const Dim channels = self.rank() > 1 ? self.sizes[1] : Dim(1);
    if (!Expect(Eq(weight.sizes[0], channels)))
      FailShape(call,
          "takes a weight for each of " + channels.ToString() + " channels, but got " + weight.sizes[0].ToString());
  }
  const TensorMeta* operands[] = {&self};
  call.ReturnNew(ElementwiseMeta(operands, self.dtype, call.device()));
}

// log(sigmoid(x)) and a buffer for the gradient, which cuda does not need.
void LogSigmoidForward(Call& call) {
  const TensorMeta& self = call.Meta(0);
  RequireFloat(call, self.dtype);
  ReturnLike(call, self, self.dtype);
  if (call.device().is_cpu()) {
    ReturnLike(call, self, self.dtype);
  } else {
    ReturnContiguous(call, Dims{0}, self.dtype);
  }
}

// ---- dropout

void RequireProbability(const Call& call) {
  const double p = call.Float(1);
  if (!(p >= 0 && p <= 1)) FailValue(call, "takes a probability between 0 and 1, not " + ToString(call.Arg(1)));
}

// Where nothing is dropped the result is the input itself, else a new tensor.
void Dropout(Call& call) {
  RequireProbability(call);
  Tensor& input = call.TensorArg(0);
  if (!call.Bool(2) || call.Float(1) == 0 || IsKnownEmpty(input.meta)) return void(call.ReturnArgument(input));
  // The mask is scaled in place, in the input's dtype; where all is dropped there is none.
  if (call.Float(1) != 1) RequireFloatOrComplex(call, input.meta.dtype);
  const TensorMeta* operands[] = {&input.meta};
  call.ReturnNew(ElementwiseMeta(operands, input.meta.dtype, call.device()));
}

void FeatureDropout(Call& call) {
  const double p = call.Float(1);
  const bool is_empty = IsKnownEmpty(call.Meta(0));
  if (call.Bool(2) && p > 0 && p < 1 && !is_empty && call.Meta(0).rank() < 2)
    FailShape(call, "drops channels of tensors of at least 2 dimensions");
  Dropout(call);
}

// The result and the mask of what is kept; train=None counts as true.
// Source: native_dropout_cpu, which hands on what is empty, with a mask of its dtype.
void NativeDropout(Call& call) {
  const TensorMeta& self = call.Meta(0);
  if (call.device().is_cpu() && IsKnownEmpty(self)) {
    call.ReturnArgument(call.TensorArg(0));
    return void(ReturnLike(call, self, self.dtype));
  }
  const bool train = call.OptionalBool(2).value_or(true);
  if (train && call.Float(1) != 0) RequireFloatOrComplex(call, self.dtype);
  ReturnLike(call, self, self.dtype);
  ReturnLike(call, self, ScalarType::Bool);
}

void FusedDropout(Call& call) {
  const TensorMeta& self = call.Meta(0);
  ReturnLike(call, self, self.dtype);
  ReturnLike(call, self, ScalarType::Byte);
}

// rrelu: random slopes in training.
void RandomSlopes(Call& call) {
  RequireFloat(call, call.Meta(0).dtype);
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

// (self, lower, upper, training); rrelu_with_noise does not look at the bounds.
void RRelu(Call& call) {
  if (call.Float(1) > call.Float(2)) {
    FailValue(call,
        "takes a lower bound of at most the upper, not " + ToString(call.Arg(1)) + " and " + ToString(call.Arg(2)));
  }
  RandomSlopes(call);
}

void RReluWithNoise(Call& call) {
  RequireSameSizes(call, 0, 1);
  RandomSlopes(call);
  call.Write(call.TensorArg(1));
}

void RReluWithNoiseFunctional(Call& call) {
  RequireSameSizes(call, 0, 1);
  RandomSlopes(call);
  ReturnLike(call, call.Meta(1), call.Meta(1).dtype);
}

bool IsNegative(const Value& number) {
  if (const Dim* n = number.TryGet<Dim>()) return Guard(Lt(*n, 0));
  const double* d = number.TryGet<double>();
  return d && *d < 0;
}

// Source: at::native::hardtanh.
void Hardtanh(Call& call) {
  if (call.Meta(0).dtype == ScalarType::Byte && (IsNegative(call.Number(1)) || IsNegative(call.Number(2))))
    FailValue(call, "takes no negative limits for uint8");
  Checked<kReal, kDefault, 0>(call);
}

constexpr RuleRow kRows[] = {
    {"aten::relu", Checked<kReal, kDefault, 0>},
    {"aten::relu6", Checked<kReal, kDefault, 0>},
    {"aten::leaky_relu", Checked<kFloating, kDefault, 0>},
    {"aten::gelu", Gelu},
    {"aten::silu", Checked<kFloatingOrComplex, kDefault, 0>},
    {"aten::elu", Checked<kFloating, kDefault, 0>},
    {"aten::celu", Checked<kFloating, kDefault, 0>},
    {"aten::selu", Checked<kFloating, kDefault, 0>},
    {"aten::hardtanh", Hardtanh},
    {"aten::hardsigmoid", Checked<kFloating, kDefault, 0>},
    {"aten::hardswish", Checked<kFloating, kDefault, 0>},
    {"aten::hardshrink", Checked<kFloating, kDefault, 0>},
    {"aten::softshrink", SoftShrink},
    {"aten::softplus", Checked<kFloating, kDefault, 0>},
    {"aten::mish", Checked<kFloating, kDefault, 0>},
    {"aten::threshold", Checked<kReal, kDefault, 0>},
    {"aten::log_sigmoid", Checked<kFloating, kDefault, 0>},
    {"aten::log_sigmoid_forward", LogSigmoidForward},
    {"aten::glu", Glu},
    {"aten::prelu", Prelu},
    {"aten::_prelu_kernel", Checked<kAnyDtype, kDefault, 0, 1>},
    {"aten::rrelu", RRelu},
    {"aten::rrelu_with_noise", RReluWithNoise},
    {"aten::rrelu_with_noise_functional", RReluWithNoiseFunctional},
    {"aten::dropout", Dropout},
    {"aten::feature_dropout", FeatureDropout},
    {"aten::alpha_dropout", Dropout},
    {"aten::feature_alpha_dropout", FeatureDropout},
    {"aten::native_dropout", NativeDropout},
    {"aten::_fused_dropout", FusedDropout},
};

}  // namespace

RuleRows ActivationRules() { return kRows; }

}  // namespace fakeprop::rules
