// Convolutions that name their kernel, and the one over time, batch and channel.
// Source: aten/src/ATen/native/{ConvolutionMM2d,ConvolutionMM3d,NaiveDilatedConvolution,NaiveConvolutionTranspose2d,
// NaiveConvolutionTranspose3d,ConvolutionTBC}.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/convolution_metas.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/normalization_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

enum class Input { kBatched, kEither, kAsBatch };

void CheckKernel(const Call& call, const Operand& weight, int spatial) {
  weight.Rank(spatial + 2, {"expected a weight of {} dimensions, but got {}", spatial + 2});
  const Dims kernel = SpatialList(call.DimList("kernel_size"), spatial, "kernel_size");
  for (int i = 0; i < spatial; ++i)
    weight.Size(i + 2, kernel[i], {"kernel_size {} is not that of the weight {}", kernel});
}

// All but the dilated kernels ask for them.
void RequireElements(const Operand& weight) {
  weight.Require(!IsKnownEmpty(weight),
      {"takes a weight with elements, not {tensor}: non-empty {}D weight tensor expected", weight->rank()});
}

// The bias is copied or added to the result, whatever its dtype. Only transposed convolutions have demands.
std::optional<TensorMeta> CastBias(const Call& call, const TensorMeta& input, int spatial, const ConvParams& params) {
  const Operand bias = call.OptionalIn("bias");
  if (!bias) return std::nullopt;
  if (params.transposed && (spatial == 3 || IsComplex(bias->dtype))) RequireInputDtype(input, bias, "bias");
  return WithDtype(bias, input.dtype);
}

// Only the kernels for images know channels_last. There are as many channels as filters, even without channels to read.
// The dilated kernels do not look at the weight's dtype where the batch is empty.
TensorMeta Convolved(const Call& call, const TensorMeta& input, int spatial, const ConvParams& params) {
  const TensorMeta& weight = call.In("weight");
  const bool has_images = input.rank() == 0 || !Known(Eq(input.sizes[0], 0));
  if (!params.may_be_empty || has_images) RequireInputDtype(input, weight, "weight");
  const std::optional<TensorMeta> bias = CastBias(call, input, spatial, params);
  TensorMeta out = Convolution(input, weight, bias ? &*bias : nullptr, params, TorchBuild::kCpu);
  out.dtype = input.dtype;
  if (spatial == 3) out.strides = ContiguousStrides(out.size_span());
  if (params.transposed || !IsKnownEmpty(weight)) return out;
  out.sizes[1] = weight.sizes[0];
  out.strides = ContiguousStrides(out.size_span());
  return out;
}

template <int Spatial, Input I>
void Convolve(Call& call, const ConvParams& params) {
  const Operand input = call.In("self").Takes(kReal, "not implemented for {}");
  CheckKernel(call, call.In("weight"), Spatial);
  if (!params.may_be_empty) RequireElements(call.In("weight"));
  if (I == Input::kAsBatch) {
    call.ReturnNew(Convolved(call, Unsqueezed(input, 0), Spatial, params));
  } else if (I == Input::kEither && input->rank() == Spatial + 1) {
    call.ReturnNew(Squeezed(Convolved(call, Unsqueezed(input, 0), Spatial, params), 0));
  } else {
    call.ReturnNew(Convolved(call, input, Spatial, params));
  }
}

// Unlike aten::convolution, these take no single number for all dimensions.
void RequireLengths(const Call& call, ArgumentNames names, size_t length) {
  for (ArgumentName name : names) call.DimList(name, length);
}

template <int Spatial>
void SlowConv(Call& call) {
  RequireLengths(call, {"kernel_size", "stride", "padding"}, Spatial);
  Convolve<Spatial, Input::kBatched>(
      call, {call.DimList("stride"), call.DimList("padding"), Dims{1}, false, Dims{0}, 1});
}

// A channels-last weight asks for a batch.
template <int Spatial>
void RequireBatchFor(const Call& call) {
  const Operand self = call.In("self"), weight = call.In("weight");
  const bool is_plane = Spatial == 2 && self->rank() == 3;
  self.Require(!is_plane || SuggestMemoryFormat(weight) != MemoryFormat::ChannelsLast,
      "takes no input without a batch, {tensor}, beside a channels-last weight: required rank 4 tensor to use "
      "channels_last format");
}

template <int Spatial>
void SlowConvDilated(Call& call) {
  RequireLengths(call, {"kernel_size", "stride", "padding", "dilation"}, Spatial);
  RequireBatchFor<Spatial>(call);
  Convolve<Spatial, Input::kEither>(
      call, {call.DimList("stride"), call.DimList("padding"), call.DimList("dilation"), false, Dims{0}, 1, true});
}

// The kernel for images gives a batch of one for a contiguous input without a batch, which it resizes meanwhile.
template <int Spatial>
void SlowConvTranspose(Call& call) {
  call.DimList("kernel_size", Spatial, {"takes {} kernel sizes, got {}", Spatial});
  const ConvParams params{call.DimList("stride"), call.DimList("padding"), call.DimList("dilation"), true,
      call.DimList("output_padding"), 1, false, true};
  RequireBatchFor<Spatial>(call);
  const Operand self = call.In("self");
  self.Require(Ne(self.Numel(), 0), "takes no input without elements, but got {}");
  if (Spatial == 2 && self->rank() == 3 && IsContiguous(self)) return Convolve<Spatial, Input::kAsBatch>(call, params);
  Convolve<Spatial, Input::kEither>(call, params);
}

// Gradients of input, weight and bias.
void SlowConv2dBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("self"), weight = call.In("weight");
  input.Takes(kFloating);
  Operands{grad, input, weight}.Rank(4);
  for (const Operand& t : {grad, weight}) input.SameDtypeAs(t);
  // slow_conv2d_shape_check: the gradient has the sizes of the convolution's result; the batch may be another.
  const ConvParams params{call.DimList("stride"), call.DimList("padding"), Dims{1}, false, Dims{0}, 1};
  const TensorMeta output = Convolution(input, weight, nullptr, params, TorchBuild::kCpu);
  for (int d : {1, 2, 3}) grad.Size(d, output.sizes[d]);
  const std::vector<bool> wanted = call.Bools("output_mask");
  const MemoryFormat format = ConvolutionFormat(input, weight, {}, TorchBuild::kCpu);
  ReturnWanted(call, wanted[0], EmptyLike(input, format));
  ReturnWanted(call, wanted[1], EmptyLike(weight, format));
  ReturnWanted(call, wanted[2], ContiguousMeta(Dims{weight->sizes[0]}, grad->dtype, grad->device));
}

// ---- over time, batch and channel: input [time, batch, in], weight [kernel, in, out]

void CheckTbc(const Operand& input, const Operand& weight, const Operand& bias) {
  bias.Require(input->rank() == 3 && weight->rank() == 3 && bias->rank() == 1,
      {"expected 3-d input and weight and a 1-d bias, but got {}, {}, {}", input->sizes, weight->sizes});
  bias.Require({Eq(input->sizes[2], weight->sizes[1]), Eq(bias->sizes[0], weight->sizes[2])},
      {"channels of input {}, weight {} and bias {} do not fit", input->sizes, weight->sizes});
}

Dim TbcSteps(const Call& call, const TensorMeta& input, const TensorMeta& weight) {
  return input.sizes[0] + Dim(2) * call.DimArg("pad") - weight.sizes[0] + 1;
}

// The kernels view steps and batch as one dimension.
void RequireMergedSteps(const Call& call, const TensorMeta& t, Dim steps) {
  TensorMeta window = t;
  window.sizes[0] = Min(t.sizes[0], steps);
  const Dims merged = {window.sizes[0] * t.sizes[1], t.sizes[2]};
  if (ComputeViewStrides(window, merged)) return;
  FailAs(call, ErrorClass::kViewError,
      {"views time and batch of {} as one dimension, which its strides forbid; call contiguous() before", t});
}

void ConvTbc(Call& call) {
  const Operand input = call.In("self"), weight = call.In("weight");
  CheckTbc(input, weight, call.In("bias"));
  const Dim time = TbcSteps(call, input, weight);
  RequireShape(call, Ge(time, 0), {"the kernel {} is longer than the padded input", weight->sizes[0]});
  RequireMergedSteps(call, input, time);
  if (!IsKnownEmpty(DimSpan{&input->sizes[0], 1}) && !Known(Eq(time, 0))) weight.SameDtypeAs(input);
  ReturnContiguous(call, Dims{time, input->sizes[1], weight->sizes[2]}, input->dtype);
}

// Checks what the steps of the convolution read. Without a step nothing is read. `grad`: the operator's self.
void CheckTbcSteps(const Call& call, const Operand& grad, const Operand& bias) {
  const Operand input = call.In("input"), weight = call.In("weight");
  const Dim time = input->rank() && weight->rank() ? TbcSteps(call, input, weight) : Dim(1);
  if (!Guard(Gt(time, 0))) return;
  CheckTbc(input, weight, bias);
  grad.Rank(3).SameDtypeAs(input).SameDtypeAs(weight);
  const bool fits = Expect(Ge(grad->sizes[0], time)) && Expect(Eq(grad->sizes[1], input->sizes[1])) &&
                    Expect(Eq(grad->sizes[2], weight->sizes[2]));
  grad.Require(
      fits, {"takes a gradient of {} steps for input {} and weight {}, but got {}", time, input->sizes, weight->sizes});
  RequireMergedSteps(call, grad, input->sizes[0]);
  RequireMergedSteps(call, input, grad->sizes[0]);
}

void ConvTbcBackward(Call& call) {
  const Operand grad = call.In("self"), bias = call.In("bias");
  CheckTbcSteps(call, grad, bias);
  // The gradient's sum over steps and batch is copied to the bias's.
  const Dims summed(grad->sizes.begin() + std::min<int64_t>(2, grad->rank()), grad->sizes.end());
  bias.Require(CanExpandTo(summed, bias->size_span()),
      {"has a gradient of {}, whose sums do not fit a bias of {}", grad->sizes});
  for (const Operand& t : {call.In("input"), call.In("weight"), bias}) ReturnContiguous(call, t);
}

constexpr RuleRow kRows[] = {
    {"aten::thnn_conv2d", SlowConv<2>, Overlap::kAllowedInOut | SetsStrides{4}},
    {"aten::_slow_conv2d_forward", SlowConv<2>, SetsStrides{4}},
    {"aten::_slow_conv2d_backward.output_mask", SlowConv2dBackward},
    {"aten::slow_conv3d", SlowConv<3>, OutStrides::kOnlyContiguous},
    {"aten::slow_conv3d_forward", SlowConv<3>, OutStrides::kOnlyContiguous},
    {"aten::slow_conv_dilated2d", SlowConvDilated<2>},
    {"aten::slow_conv_dilated3d", SlowConvDilated<3>},
    {"aten::slow_conv_transpose2d", SlowConvTranspose<2>, Overlap::kAllowedInOut},
    {"aten::slow_conv_transpose3d", SlowConvTranspose<3>, Overlap::kAllowedInOut},
    {"aten::conv_tbc", ConvTbc},
    {"aten::conv_tbc_backward", ConvTbcBackward},
};

}  // namespace

RuleRows SlowConvolutionRules() { return kRows; }

}  // namespace fakeprop::rules
