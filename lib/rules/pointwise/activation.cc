// Activation functions and dropout.
// Source: aten/src/ATen/native/Activation.cpp, Dropout.cpp; torch/_refs/nn/functional, _decomp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

constexpr DtypeClass kReluInput{
    kReal.dtypes, kReal.text, "is not defined for bool tensors: boolean inputs not supported for relu"};
constexpr DtypeClass kHardtanhInput{
    kReal.dtypes, kReal.text, "is not defined for bool tensors: bool inputs not supported for hardtanh"};

using enum Promotion;

void Gelu(Call& call) {
  RequireOneOf(call, "approximate", {"none", "tanh"}, "takes the approximation 'none' or 'tanh', not '{}'");
  Checked<kFloating, kDefault, "self">(call);
}

void SoftShrink(Call& call) {
  RequireValue(call, !(call.Float("lambd") < 0), {"takes a lambda of at least 0, not {}", call.Arg("lambd")});
  Checked<kFloating, kDefault, "self">(call);
}

// Halves a dimension: one half gates the other.
void Glu(Call& call) {
  const Operand self = call.In("self").RankAtLeast(1, "does not support 0-dimensional tensors").Takes(kFloating);
  const int64_t dim = call.WrappedDim("dim", self);
  const Dim size = self->sizes[dim];
  RequireShape(call, Divides(2, size),
      {"halves a dimension: halving dimension must be even, but dimension {} is size {}", dim, size});
  TensorMeta half = self;
  half.sizes[dim] = FloorDiv(size, 2);
  const TensorMeta* operands[] = {&half};
  call.ReturnNew(ElementwiseMeta(operands, self->dtype, call.device()));
}

// The cpu's kernel does not promote.
void RequireWeightDtype(const Call& call) {
  if (call.OnCpu()) call.In("self").SameDtypeAs(call.In("weight"));
}

void PreluKernel(Call& call) {
  const ScalarType dtype = PromotedDtype(call, {"self", "weight"});
  call.ReturnNew(LaidOutAs(call.In("self"), ElementwiseMeta(call, {"self", "weight"}, dtype)));
}

// Source: at::native::prelu: a weight of one element, or one for each channel.
void Prelu(Call& call) {
  const Operand self = call.In("self"), weight = call.In("weight");
  self.SameDtypeAs(weight);
  if (self->rank() > 0 && weight->device != self->device)  // the weight is viewed with self's dimensions
    FailAs(call, ErrorClass::kDeviceMismatch, "takes self and weight on one device");
  weight.RankAtMost(1, "takes a weight of at most 1 dimension, but got {}");
  if (weight->rank() == 1 && !GuardOrFalse(Eq(weight->sizes[0], 1))) {
    self.RankAtLeast(1, "does not take 0-dim tensors with a weight for each channel");
    const Dim channels = self->rank() > 1 ? self->sizes[1] : Dim(1), weights = weight->sizes[0];
    RequireShape(call, Eq(weights, channels),
        {"takes a weight for each channel: mismatch of parameter numbers and input channel size. Found parameter "
         "numbers = "
         "{} and channel size = {}",
            weights, channels});
  }
  // The weight is viewed with self's dimensions.
  TensorMeta viewed = weight;
  if (weight->rank() != self->rank()) {
    viewed.sizes.assign(self->rank(), Dim(1));
    if (self->rank() > 1) viewed.sizes[1] = weight.Numel();
    viewed.strides = ContiguousStrides(viewed.sizes);
  }
  const TensorMeta* operands[] = {&*self, &viewed};
  call.ReturnNew(LaidOutAs(self, ElementwiseMeta(operands, self->dtype, call.device())));
}

// The cpu's kernel makes contiguous results.
void LogSigmoid(Call& call) {
  const Operand self = call.In("self").Takes(kFloating);
  if (call.OnCpu()) ReturnContiguous(call, self);
  else ReturnLike(call, self);
}

// log(sigmoid(x)) and a buffer for the gradient, which cuda does not need.
void LogSigmoidForward(Call& call) {
  LogSigmoid(call);
  const Operand self = call.In("self");
  ReturnContiguous(call, call.OnCpu() ? self->sizes : Dims{0}, self->dtype);
}

// ---- dropout

void RequireProbability(const Call& call) {
  const double p = call.Float("p");
  RequireValue(call, p >= 0 && p <= 1,
      {"takes no {}: dropout probability has to be between 0 and 1, but got {}", call.Arg("p"), call.Arg("p")});
}

// Where nothing is dropped the result is the input itself, else a new tensor.
void Dropout(Call& call) {
  RequireProbability(call);
  const Operand input = call.In("input");
  const double p = call.Float("p");
  if (!call.Bool("train") || p == 0 || IsKnownEmpty(input)) return void(call.ReturnArgument(input.tensor()));
  // The mask is scaled in place, in the input's dtype. Where all is dropped a zero without dimensions takes its place.
  const TensorMeta zero = ContiguousMeta({}, input->dtype, input->device);
  const TensorMeta* operands[] = {&*input, &zero};
  if (p != 1) input.Takes(kFloatingOrComplex);
  call.ReturnNew(ElementwiseMeta(std::span(operands).first(p == 1 ? 2 : 1), input->dtype, input->device));
}

// One number for each channel, [N, C, 1 ...]. Source: make_feature_noise in aten/src/ATen/native/Dropout.cpp.
TensorMeta FeatureNoise(const Operand& input) {
  Dims sizes(input->rank(), Dim(1));
  for (int d : {0, 1}) sizes[d] = input->sizes[d];
  return ContiguousMeta(sizes, input->dtype, input->device);
}

void FeatureDropout(Call& call) {
  const double p = call.Float("p");
  const Operand input = call.In("input");
  const bool has_noise = call.Bool("train") && p > 0 && p < 1 && !IsKnownEmpty(input);
  if (has_noise) input.RankAtLeast(2, "drops channels of tensors of at least 2 dimensions");
  Dropout(call);
  if (!has_noise) return;
  const TensorMeta noise = FeatureNoise(input);
  const TensorMeta* operands[] = {&*input, &noise};
  call.effects().outputs[0].meta = ElementwiseMeta(operands, input->dtype, input->device);
}

// The result and the mask of what is kept. On the cpu train=None counts as true.
// Source: native_dropout_cpu, which returns an empty tensor itself, with a mask of its dtype; for other devices
// native_dropout in torch/_decomp/decompositions.py (2.13), which returns a tensor itself where nothing is dropped.
void NativeDropout(Call& call) {
  const Operand input = call.In("input");
  if (call.OnCpu() && IsKnownEmpty(input)) {
    call.ReturnArgument(input.tensor());
    return void(ReturnLike(call, input));
  }
  const bool train = call.OptionalBool("train").value_or(call.OnCpu()), drops = train && call.Float("p") != 0;
  if (drops) input.Takes(kFloatingOrComplex);
  if (!call.OnCpu() && !drops) {
    call.ReturnArgument(input.tensor());
    return void(ReturnLike(call, input, ScalarType::Bool));
  }
  call.OnCpu() && train ? void(call.ReturnNew(ElementwiseMeta(call, {"input"}, input->dtype)))
                        : void(ReturnLike(call, input));
  ReturnLike(call, input, ScalarType::Bool);
}

void FusedDropout(Call& call) {
  const Operand self = call.In("self");
  ReturnLike(call, self);
  ReturnLike(call, self, ScalarType::Byte);
}

// The cpu's kernel for training takes no float16 (at::native::rrelu_with_noise_out_cpu).
Operand Sloped(const Call& call) {
  const Operand self = call.In("self").Takes(kFloating);
  if (call.Bool("training") && call.OnCpu())
    self.Takes(~Dtypes(ScalarType::Half),
        "has no kernel for training in {}: \"rrelu_with_noise_out_cpu\" not implemented for 'Half'");
  return self;
}

// rrelu: random slopes in training. The cpu's kernel writes a contiguous tensor (at::native::rrelu_with_noise_cpu).
void RandomSlopes(Call& call) {
  const Operand self = Sloped(call);
  if (!call.OnCpu()) return void(ReturnLike(call, self));
  ReturnContiguous(call, self);
}

// rrelu_with_noise does not compare its bounds.
void RRelu(Call& call) {
  RequireValue(call, !(call.Float("lower") > call.Float("upper")),
      {"takes a lower bound of at most the upper, not {} and {}", call.Arg("lower"), call.Arg("upper")});
  RandomSlopes(call);
}

Operand CheckedNoise(const Call& call) {
  const Operand self = call.In("self"), noise = call.In("noise");
  if (!call.OnCpu()) return noise;  // other kernels write as much noise as they have room for
  self.SameSizesAs(noise);
  if (call.Bool("training")) self.SameDtypeAs(noise);
  return noise;
}

void RReluWithNoise(Call& call) {
  const Operand noise = CheckedNoise(call);
  RandomSlopes(call);
  call.Write(noise.tensor());
}

void RReluWithNoiseFunctional(Call& call) {
  const Operand noise = CheckedNoise(call), self = Sloped(call);
  ReturnLike(call, self);
  ReturnLike(call, noise);
}

bool IsNegative(const Value& number) {
  if (const Dim* n = number.TryGet<Dim>()) return Guard(Lt(*n, 0));
  const double* d = number.TryGet<double>();
  return d && *d <= -1;  // taken as an integer
}

// Source: at::native::hardtanh.
void Hardtanh(Call& call) {
  const bool is_unsigned = call.In("self")->dtype == ScalarType::Byte;
  RequireValue(call, !is_unsigned || !(IsNegative(call.Number("min_val")) || IsNegative(call.Number("max_val"))),
      "takes no negative limits for uint8");
  const Operand self = call.In("self").Takes(kHardtanhInput);
  ReturnLike(call, self);
}

void Relu6(Call& call) {
  const Operand self = call.In("self").Takes(kHardtanhInput);
  ReturnLike(call, self);
}

// The cpu's kernel makes the buffer contiguous whatever it was, and leaves the strides of an output of the right sizes.
// Source: log_sigmoid_forward_out_cpu.
void LogSigmoidForwardOut(Call& call) {
  const Operand self = call.In("self").Takes(kFloating), output = call.In("output"), buffer = call.In("buffer");
  Operands{output, buffer}.Takes(self->dtype);
  if (call.OnCpu()) WriteUnshared(call, output, self->sizes, {});
  else WriteOfSizes(call, output.tensor(), self->sizes);
  const Dims sizes = call.OnCpu() ? self->sizes : Dims{0};
  WriteOfSizes(call, buffer.tensor(), sizes);
  if (!call.OnCpu() || !GuardSameOrFalse(buffer->size_span(), sizes) || IsContiguous(*buffer)) return;
  TensorMeta dense = *buffer;
  dense.strides = ContiguousStrides(sizes);
  call.SetMeta(buffer.tensor(), std::move(dense));
}

constexpr RuleRow kRows[] = {
    {"aten::relu", OrSuggested<Checked<kReluInput, kDefault, "self">>},
    {"aten::relu6", OrSuggested<Relu6>},
    {"aten::leaky_relu", OrSuggested<Checked<kFloating, kDefault, "self">>, OutDtype::kExact},
    {"aten::gelu", OrSuggested<Gelu>, OutDtype::kExact},
    {"aten::silu", Checked<kFloatingOrComplex, kDefault, "self">, OutDtype::kExact},
    {"aten::elu", Checked<kFloating, kDefault, "self">, OutDtype::kExact},
    {"aten::celu", Checked<kFloating, kDefault, "self">},
    {"aten::selu", Checked<kFloating, kDefault, "self">},
    {"aten::hardtanh", OrSuggested<Hardtanh>, OutDtype::kExact},
    {"aten::hardsigmoid", OrSuggested<Checked<kFloating, kDefault, "self">>, OutDtype::kExact},
    {"aten::hardswish", Checked<kFloating, kDefault, "self">, ReadsWritten::kItself},
    {"aten::hardshrink", Checked<kFloating, kDefault, "self">, OutDtype::kExact},
    {"aten::softshrink", SoftShrink, OutDtype::kExact},
    {"aten::softplus", Checked<kFloating, kDefault, "self">, OutDtype::kExact},
    {"aten::mish", Checked<kFloating, kDefault, "self">, OutDtype::kExact},
    {"aten::threshold", OrSuggested<Checked<kReal, kDefault, "self">>, Overlap::kAllowed},
    {"aten::log_sigmoid", LogSigmoid, OutStrides::kContiguous},
    {"aten::log_sigmoid_forward", LogSigmoidForward},
    {"aten::log_sigmoid_forward.output", LogSigmoidForwardOut},
    {"aten::glu", Glu, kUntagged},
    {"aten::prelu", Prelu},
    {"aten::_prelu_kernel", InOrder<RequireWeightDtype, OrSuggested<PreluKernel>>},
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
