// Convolutions, by way of at::convolution or straight to one kernel.
// Source: aten/src/ATen/native/Convolution.cpp; torch/_subclasses/fake_impls.py conv, meta_convolution_backward in
// torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/convolutions.h"
#include "lib/rules/families.h"
#include "lib/rules/intermediate.h"
#include "lib/rules/products.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
namespace {

std::string Shape(const TensorMeta& t) { return ToString(t.size_span()); }

const TensorMeta* OptionalMeta(const Call& call, int i) {
  const Tensor* t = call.OptionalTensor(i);
  return t ? &t->meta : nullptr;
}

// The bias of conv1d, conv2d and conv3d is held to the input's dtype; elsewhere that is left to the kernels.
const TensorMeta* BiasOf(const Call& call, const TensorMeta& input) {
  const TensorMeta* bias = OptionalMeta(call, 2);
  if (bias && bias->dtype != input.dtype) {
    Fail(ErrorClass::kDtypeMismatch, "input type " + std::string(DtypeName(input.dtype)) + " and bias type " +
                                         std::string(DtypeName(bias->dtype)) + " should be the same");
  }
  return bias;
}

// Gives an input without batch dimension one, and takes it off the result.
template <typename Convolve>
void Batched(Call& call, int64_t spatial, Convolve convolve) {
  const TensorMeta& input = call.Meta(0);
  if (input.rank() == spatial + 2) {
    call.ReturnNew(convolve(input));
  } else if (input.rank() == spatial + 1) {
    call.ReturnNew(Squeezed(convolve(Unsqueezed(input, 0)), 0));
  } else {
    Fail(ErrorClass::kShapeMismatch, "expected " + std::to_string(spatial + 1) + "-d (unbatched) or " +
                                         std::to_string(spatial + 2) + "-d (batched) input to " +
                                         std::string(call.schema().name) + ", but got input of size: " + Shape(input));
  }
}

template <int Spatial>
void ConvNd(Call& call) {
  const ConvParams params = {call.DimList(3), call.DimList(4), call.DimList(5), false, Dims{0}, call.DimArg(6)};
  Batched(call, Spatial,
      [&](const TensorMeta& input) { return Convolution(input, call.Meta(1), BiasOf(call, input), params); });
}

// (input, weight, bias, padding, stride, dilation, groups), by oneDNN whatever the sizes.
// Source: mkldnn_convolution, mkldnn_conv_use_channels_last in aten/src/ATen/native/mkldnn/Conv.cpp.
void MkldnnConvolution(Call& call) {
  const TensorMeta &input = call.Meta(0), &weight = call.Meta(1), *bias = BiasOf(call, input);
  if (input.dtype != weight.dtype || !IsFloat(input.dtype) || input.dtype == ScalarType::Double)
    Fail(ErrorClass::kDtypeMismatch,
        "aten::mkldnn_convolution takes float32, bfloat16 and float16 tensors of one dtype, not " + ToString(input) +
            " and " + ToString(weight));
  const ConvParams params = CheckedConvolution(
      input, weight, bias, {call.DimList(4), call.DimList(3), call.DimList(5), false, Dims{0}, call.DimArg(6)});
  const Dims sizes = ConvolutionSizes(input, weight, params);
  const MemoryFormat last = weight.rank() == 5 ? MemoryFormat::ChannelsLast3d : MemoryFormat::ChannelsLast;
  const bool is_last = weight.rank() > 3 && (SuggestMemoryFormat(input) == last || SuggestMemoryFormat(weight) == last);
  call.ReturnNew(MetaInFormat(sizes, input.dtype, input.device, is_last ? last : MemoryFormat::Contiguous));
}

template <int Spatial>
void ConvTransposeNd(Call& call) {
  const ConvParams params = {call.DimList(3), call.DimList(4), call.DimList(7), true, call.DimList(5), call.DimArg(6)};
  Batched(call, Spatial,
      [&](const TensorMeta& input) { return Convolution(input, call.Meta(1), OptionalMeta(call, 2), params); });
}

// padding="same": the odd element of padding goes to the right, by padding the input first. Source: convolution_same.
TensorMeta ConvolutionSame(TensorMeta input, const TensorMeta& weight, const TensorMeta* bias, ConvParams params) {
  const int64_t spatial = weight.rank() - 2;
  if (spatial <= 0)
    Fail(ErrorClass::kShapeMismatch, "weight should have at least three dimensions, not shape " + Shape(weight));
  RequireRank(input, weight.rank(), "the input of a convolution with weight " + Shape(weight));
  params.dilation = SpatialList(params.dilation, spatial, "dilation");
  for (Dim stride : SpatialList(params.stride, spatial, "stride"))
    if (!Expect(Eq(stride, 1)))
      Fail(ErrorClass::kValueError,
          "padding='same' is not supported for strided convolutions, got stride " + ToString(params.stride));
  params.padding.clear();
  const MemoryFormat format = SuggestMemoryFormat(input);
  bool symmetric = true;
  for (int64_t i = 0; i < spatial; ++i) {
    const Dim total = params.dilation[i] * (weight.sizes[i + 2] - 1);
    params.padding.push_back(FloorDiv(total, 2));
    const Dim extra = Mod(total, 2);
    symmetric = symmetric && GuardOrFalse(Eq(extra, 0));
    input.sizes[i + 2] += extra;
  }
  if (!symmetric) input.strides = StridesInFormat(input.size_span(), format);
  return Convolution(input, weight, bias, params);
}

TensorMeta ConvolutionMode(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
    std::string_view mode, ConvParams params) {
  if (mode == "same") return ConvolutionSame(input, weight, bias, params);
  if (mode == "valid") return Convolution(input, weight, bias, params);
  Fail(ErrorClass::kValueError, "invalid padding string: " + std::string(mode));
}

template <int Spatial>
void ConvNdMode(Call& call) {
  const ConvParams params = {call.DimList(3), Dims{0}, call.DimList(5), false, Dims{0}, call.DimArg(6)};
  Batched(call, Spatial, [&](const TensorMeta& input) {
    return ConvolutionMode(input, call.Meta(1), OptionalMeta(call, 2), call.String(4), params);
  });
}

void ConvolutionModeRule(Call& call) {
  const ConvParams params = {call.DimList(3), Dims{0}, call.DimList(5), false, Dims{0}, call.DimArg(6)};
  call.ReturnNew(ConvolutionMode(call.Meta(0), call.Meta(1), OptionalMeta(call, 2), call.String(4), params));
}

// The parameters stride, padding, dilation, transposed, output_padding, groups from argument `first` on.
ConvParams ParamsFrom(const Call& call, int first) {
  return {call.DimList(first), call.DimList(first + 1), call.DimList(first + 2), call.Bool(first + 3),
      call.DimList(first + 4), call.DimArg(first + 5)};
}

void ConvolutionRule(Call& call) {
  call.ReturnNew(Convolution(call.Meta(0), call.Meta(1), OptionalMeta(call, 2), ParamsFrom(call, 3)));
}

// Gradients of input and weight come in the layout of the forward pass, whatever grad_output's is.
void ConvolutionBackward(Call& call) {
  const TensorMeta &grad = call.Meta(0), &input = call.Meta(1), &weight = call.Meta(2);
  const ConvParams params = CheckedConvolution(input, weight, nullptr, ParamsFrom(call, 4));
  const MemoryFormat format = ConvolutionFormat(input, weight, params);
  const std::vector<bool> wanted = call.Bools(10);
  for (int i = 0; i < 2; ++i) {
    TensorMeta out = ContiguousMeta(call.Meta(1 + i).size_span(), grad.dtype, input.device);
    out.strides = ConvolutionStrides(out.size_span(), format);
    wanted[i] ? void(call.ReturnNew(std::move(out))) : call.ReturnNone();
  }
  if (!wanted[2]) return call.ReturnNone();
  call.ReturnNew(ContiguousMeta(call.OptionalDimList(3).value_or(Dims()), grad.dtype, input.device));
}

// fake_impls.conv takes the input's device and does not look at the others'.
constexpr RuleRow kRows[] = {
    {"aten::mkldnn_convolution", MkldnnConvolution},
    {"aten::conv1d", ConvNd<1>, Devices::kAny},
    {"aten::conv2d", ConvNd<2>, Devices::kAny},
    {"aten::conv3d", ConvNd<3>, Devices::kAny},
    {"aten::conv1d.padding", ConvNdMode<1>, Devices::kAny},
    {"aten::conv2d.padding", ConvNdMode<2>, Devices::kAny},
    {"aten::conv3d.padding", ConvNdMode<3>, Devices::kAny},
    {"aten::_convolution_mode", ConvolutionModeRule, Devices::kAny},
    {"aten::conv_transpose1d", ConvTransposeNd<1>, Devices::kAny},
    {"aten::conv_transpose2d.input", ConvTransposeNd<2>, Devices::kAny},
    {"aten::conv_transpose3d.input", ConvTransposeNd<3>, Devices::kAny},
    {"aten::convolution", ConvolutionRule, Devices::kAny},
    {"aten::_convolution", ConvolutionRule, Devices::kAny},
    {"aten::_convolution.deprecated", ConvolutionRule, Devices::kAny},
    {"aten::convolution_backward", ConvolutionBackward, Devices::kAny},
};

}  // namespace

RuleRows ConvolutionRules() { return kRows; }

}  // namespace fakeprop
