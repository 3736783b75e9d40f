// Convolutions, by way of at::convolution or straight to one kernel. lib/rules/support/convolution_metas.cc computes
// the sizes of their results. Source: aten/src/ATen/native/Convolution.cpp; torch/_subclasses/fake_impls.py conv,
// meta_convolution_backward in torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/convolution_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

TorchBuild BuildOf(const Call& call) { return call.state().build; }

// All parameters but padding.
ConvParams ParamsWithoutPadding(const Call& call) {
  return {call.DimList("stride"), Dims{0}, call.DimList("dilation"), call.Flag("transposed"),
      call.Has("output_padding") ? call.DimList("output_padding") : Dims{0}, call.DimArg("groups")};
}

ConvParams ParamsOf(const Call& call) {
  ConvParams params = ParamsWithoutPadding(call);
  params.padding = call.DimList("padding");
  return params;
}

// conv1d, conv2d and conv3d take a bias of the input's dtype. For the others the kernels decide.
const TensorMeta* BiasOf(const Call& call, const TensorMeta& input) {
  const TensorMeta* bias = call.OptionalIn("bias").TryMeta();
  if (bias) RequireInputDtype(input, *bias, "bias");
  return bias;
}

// A convolution of complex numbers is put together elementwise, of convolutions of real ones that give these results.
// Source: complex_convolution.
TensorMeta OfRealResults(const TensorMeta& real) {
  const TensorMeta* const results[] = {&real, &real};
  return IsComplex(real.dtype) ? ElementwiseMeta(results, real.dtype, real.device) : real;
}

// Adds a batch dimension to an input that has none, and removes it from the result.
template <typename Convolve>
void Batched(Call& call, int64_t spatial, Convolve convolve) {
  const Operand input = call.In("input");
  if (input->rank() == spatial + 2) {
    call.ReturnNew(OfRealResults(convolve(*input)));
  } else if (input->rank() == spatial + 1) {
    call.ReturnNew(Squeezed(OfRealResults(convolve(Unsqueezed(input, 0))), 0));
  } else {
    FailShape({"expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}", spatial + 1,
        spatial + 2, call.schema().name.substr(6), input->sizes});
  }
}

template <int Spatial>
void ConvNd(Call& call) {
  const ConvParams params = ParamsOf(call);
  Batched(call, Spatial, [&](const TensorMeta& input) {
    return Convolution(input, call.In("weight"), BiasOf(call, input), params, BuildOf(call));
  });
}

// Uses oneDNN for all sizes.
// Source: mkldnn_convolution, mkldnn_conv_use_channels_last in aten/src/ATen/native/mkldnn/Conv.cpp.
void MkldnnConvolution(Call& call) {
  const Operand input = call.In("self"), weight = call.In("weight");
  const TensorMeta* bias = BiasOf(call, input);
  RequireDtype(call, input->dtype == weight->dtype && (kFloatDtypes - ScalarType::Double).Has(input->dtype),
      {"takes float32, bfloat16 and float16 tensors of one dtype, not {} and {}", *input, *weight});
  const ConvParams params = CheckedConvolution(input, weight, bias, ParamsOf(call));
  const Dims sizes = ConvolutionSizes(input, weight, params);
  const MemoryFormat last = weight->rank() == 5 ? MemoryFormat::ChannelsLast3d : MemoryFormat::ChannelsLast;
  const bool is_last =
      weight->rank() > 3 && (SuggestMemoryFormat(input) == last || SuggestMemoryFormat(weight) == last);
  call.ReturnNew(MetaInFormat(sizes, input->dtype, input->device, is_last ? last : MemoryFormat::Contiguous));
}

template <int Spatial>
void ConvTransposeNd(Call& call) {
  ConvParams params = ParamsOf(call);
  params.transposed = true;
  Batched(call, Spatial, [&](const TensorMeta& input) {
    return Convolution(input, call.In("weight"), call.OptionalIn("bias").TryMeta(), params, BuildOf(call));
  });
}

// padding="same": an odd element of padding goes to the right, for which PyTorch pads the input first. Source:
// convolution_same.
TensorMeta ConvolutionSame(
    TensorMeta input, const TensorMeta& weight, const TensorMeta* bias, ConvParams params, TorchBuild build) {
  const int64_t spatial = weight.rank() - 2;
  RequireSpatial(weight);
  RequireRank(input, weight.rank(), Format("the input of a convolution with weight {}", weight.sizes));
  params.dilation = SpatialList(params.dilation, spatial, "dilation");
  for (Dim stride : SpatialList(params.stride, spatial, "stride"))
    RequireValue(
        Eq(stride, 1), {"padding='same' is not supported for strided convolutions, but got stride {}", params.stride});
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
  return Convolution(input, weight, bias, params, build);
}

TensorMeta ConvolutionMode(const Call& call, const TensorMeta& input) {
  const ConvParams params = ParamsWithoutPadding(call);
  const TensorMeta &weight = call.In("weight").meta(), *bias = call.OptionalIn("bias").TryMeta();
  const std::string_view mode = call.String("padding");
  if (mode == "same") return ConvolutionSame(input, weight, bias, params, BuildOf(call));
  if (mode == "valid") return Convolution(input, weight, bias, params, BuildOf(call));
  FailValue({"invalid padding string: {}", mode});
}

template <int Spatial>
void ConvNdMode(Call& call) {
  Batched(call, Spatial, [&](const TensorMeta& input) { return ConvolutionMode(call, input); });
}

void ConvolutionModeRule(Call& call) { call.ReturnNew(ConvolutionMode(call, call.In("input"))); }

void ConvolutionRule(Call& call) {
  call.ReturnNew(Convolution(
      call.In("input"), call.In("weight"), call.OptionalIn("bias").TryMeta(), ParamsOf(call), BuildOf(call)));
}

// Gradients of input and weight have the layout of the forward pass, not that of grad_output.
void ConvolutionBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("input"), weight = call.In("weight");
  const ConvParams params = CheckedConvolution(input, weight, nullptr, ParamsOf(call));
  const MemoryFormat format = ConvolutionFormat(input, weight, params, BuildOf(call));
  const std::vector<bool> wanted = call.Bools("output_mask");
  const auto gradient = [&](bool is_wanted, const TensorMeta& of) {
    TensorMeta out = ContiguousMeta(of.size_span(), grad->dtype, input->device);
    out.strides = ConvolutionStrides(out.size_span(), format);
    is_wanted ? void(call.ReturnNew(std::move(out))) : call.ReturnNone();
  };
  gradient(wanted[0], input);
  gradient(wanted[1], weight);
  if (!wanted[2]) return call.ReturnNone();
  call.ReturnNew(ContiguousMeta(call.OptionalDimList("bias_sizes").value_or(Dims()), grad->dtype, input->device));
}

// fake_impls.conv takes the input's device. It looks at the others' from torch 2.14 on.
template <void (*Rule)(Call&)>
void OnInputsDevice(Call& call) {
  if (Has(call, kConvolutionsOnOneDevice))
    for (const ArgumentName name : ArgumentNames{"weight", "bias", "grad_output"})
      if (const Operand t = call.TryIn(name)) t.SameDeviceAs(call.In("input"));
  Rule(call);
}

// An input without a batch is given one, which the result loses again.
void EndInViewWithoutBatch(Call& call) {
  if (call.effects().outputs[0].meta.rank() < call.In("weight")->rank()) EndInView(call);
}

constexpr RuleRow kRows[] = {
    {"aten::mkldnn_convolution", MkldnnConvolution},
    {"aten::conv1d", OnInputsDevice<InOrder<ConvNd<1>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv2d", OnInputsDevice<InOrder<ConvNd<2>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv3d", OnInputsDevice<InOrder<ConvNd<3>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv1d.padding", OnInputsDevice<InOrder<ConvNdMode<1>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv2d.padding", OnInputsDevice<InOrder<ConvNdMode<2>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv3d.padding", OnInputsDevice<InOrder<ConvNdMode<3>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::_convolution_mode", OnInputsDevice<ConvolutionModeRule>, Devices::kAny},
    {"aten::conv_transpose1d", OnInputsDevice<InOrder<ConvTransposeNd<1>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv_transpose2d.input", OnInputsDevice<InOrder<ConvTransposeNd<2>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::conv_transpose3d.input", OnInputsDevice<InOrder<ConvTransposeNd<3>, EndInViewWithoutBatch>>, Devices::kAny},
    {"aten::convolution", OnInputsDevice<ConvolutionRule>, Devices::kAny},
    {"aten::_convolution", OnInputsDevice<ConvolutionRule>, Devices::kAny},
    {"aten::_convolution.deprecated", OnInputsDevice<ConvolutionRule>, Devices::kAny},
    {"aten::convolution_backward", OnInputsDevice<ConvolutionBackward>, Devices::kAny},
};

}  // namespace

RuleRows ConvolutionRules() { return kRows; }

}  // namespace fakeprop::rules
