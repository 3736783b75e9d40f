#include "lib/rules/support/convolution_metas.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/meta/dtype.h"
#include "lib/meta/text.h"
#include "lib/rules/core/failures.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

DimSpan Spatial(const TensorMeta& t) { return t.size_span().subspan(2); }

void RequireAll(const Dims& values, Cond (*holds)(Dim, Dim), Dim bound, const char* message) {
  for (Dim v : values) RequireValue(holds(v, bound), {"{}, but got {}", message, values});
}

void CheckParams(const ConvParams& p) {
  RequireAll(p.padding, Ge, 0, "negative padding is not supported");
  RequireAll(p.output_padding, Ge, 0, "negative output_padding is not supported");
  RequireAll(p.stride, Gt, 0, "non-positive stride is not supported");
  RequireAll(p.dilation, Gt, 0, "dilation should be greater than zero");
  RequireValue(Gt(p.groups, 0), {"non-positive groups is not supported, but got {}", p.groups});
}

void CheckChannels(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, const ConvParams& p) {
  const bool has_filters = p.may_be_empty || Expect(Ge(weight.sizes[0], p.groups));
  RequireShape(has_filters && Divides(p.groups, weight.sizes[0]),
      {"given groups={}, expected weight to be divisible by {} at dimension 0, but got weight of size {} instead",
          p.groups, p.groups, weight.sizes});
  const Dim channels = p.transposed ? weight.sizes[0] : weight.sizes[1] * p.groups;
  RequireShape(Eq(input.sizes[1], channels),
      {"given {}={}, weight of size {}, expected input{} to have {} channels, but got {} channels instead",
          p.transposed ? "transposed" : "groups", p.transposed ? Dim(1) : p.groups, weight.sizes, input.sizes, channels,
          input.sizes[1]});
  const Dim outputs = p.transposed ? weight.sizes[1] * p.groups : weight.sizes[0];
  if (bias && (bias->rank() != 1 || !Expect(Eq(bias->sizes[0], outputs))))
    FailShape(
        {"given {}weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} "
         "instead",
            p.transposed ? "transposed=1, " : "", weight.sizes, outputs, bias->sizes});
}

// Spatial dimensions may be empty only where there are no batches or no channels.
void CheckSpace(const TensorMeta& input) {
  for (Dim size : Spatial(input)) {
    if (GuardOrFalse(Eq(input.sizes[0], 0)) || GuardOrFalse(Eq(input.sizes[1], 0)) || Expect(Gt(size, 0))) continue;
    FailShape({"only zero batch or zero channel inputs are supported, but got input shape: {}", input.sizes});
  }
}

void CheckKernelFits(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  Dims padded, kernel;
  bool fits = true, has_size = true;
  for (int64_t i = 0; i + 2 < input.rank(); ++i) {
    padded.push_back(input.sizes[i + 2] + Dim(2) * p.padding[i]);
    kernel.push_back(p.dilation[i] * (weight.sizes[i + 2] - 1) + 1);
    const Dim least = p.may_be_empty ? kernel.back() - p.stride[i] : kernel.back();
    fits = fits && Expect(Ge(padded.back(), least));
    has_size = has_size && Expect(Ge(weight.sizes[i + 2], 1));
  }
  // Where there are no channels nothing is computed.
  has_size = has_size || GuardOrFalse(Eq(weight.sizes[1], 0));
  RequireShape(has_size, {"kernel size should be greater than zero, but the weight has shape {}", weight.sizes});
  RequireShape(
      fits, {"calculated padded input size per channel: {}. Kernel size: {}. Kernel size can't be greater than actual "
             "input size",
                TorchSizes(padded), TorchSizes(kernel)});
}

// Both the slow and the oneDNN kernels fill at most one step beyond the last one.
void CheckOutputPadding(const ConvParams& p) {
  for (size_t i = 0; i < p.output_padding.size(); ++i) {
    if (Expect(Or(Lt(p.output_padding[i], p.stride[i]), Lt(p.output_padding[i], p.dilation[i])))) continue;
    FailValue(
        {"output padding must be smaller than either stride or dilation, but got output_padding {}, stride {}, "
         "dilation {}",
            p.output_padding, p.stride, p.dilation});
  }
}

// Neither oneDNN nor the slow kernels make a transposed convolution of a weight without elements.
void CheckTransposedWeight(const TensorMeta& weight) {
  if (weight.device.is_cpu() && IsKnownEmpty(weight))
    FailShape(
        {"a transposed convolution takes a weight with elements: non-empty {}D weight tensor expected, but got: {}",
            weight.rank(), weight.sizes});
}

// The 2-d convolution that a 1-d one runs as.
TensorMeta AsPlane(const TensorMeta& t) { return t.rank() == 3 ? Unsqueezed(t, 2) : t; }

// Whether a channels-last operand keeps its layout on that device, as it does in cuDNN alone. A depthwise convolution
// of contiguous tensors runs elsewhere, to the same effect. Source: ConvParams::use_cudnn and
// cudnn_conv_suggest_memory_format.
bool UsesCudnn(const TensorMeta& input, const TensorMeta& weight, const ConvParams& params, TorchBuild build) {
  if (build != TorchBuild::kCuda || !input.device.is_cuda() || IsKnownEmpty(input)) return false;
  if (input.dtype == ScalarType::Double || weight.dtype == ScalarType::Double) return false;
  for (size_t d = 0; d < params.output_padding.size(); ++d)
    if (params.transposed && GuardOrFalse(Ge(params.output_padding[d], params.stride[d]))) return false;
  return true;
}

bool AnyAboveOne(const Dims& sizes) {
  return std::ranges::any_of(sizes, [](Dim n) { return GuardOrFalse(Gt(n, 1)); });
}

// Whether the window has one element and the batch is small. oneDNN serves such a convolution only where there are
// several threads.
bool IsSmall(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  const int64_t k = weight.rank();
  return !AnyAboveOne(p.stride) && !AnyAboveOne(p.dilation) && !GuardOrFalse(Ge(input.sizes[0], 16)) &&
         GuardOrFalse(Eq(weight.sizes[k - 1], 1)) && GuardOrFalse(Eq(weight.sizes[k - 2], 1));
}

// ConvParams::use_mkldnn for images and volumes: dense cpu tensors of a process with one thread. oneDNN takes bfloat16
// on every current server, float16 only with avx512_fp16.
bool UsesMkldnn(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  if (p.transposed) {
    for (size_t i = 0; i < p.output_padding.size(); ++i)
      if (GuardOrFalse(Ge(p.output_padding[i], p.stride[i]))) return false;
  }
  if (input.dtype == ScalarType::BFloat16) return true;
  if (input.dtype != ScalarType::Float || IsSmall(input, weight, p)) return false;
  const int64_t k = weight.rank();
  return GuardOrFalse(Gt(p.groups, 1)) ||
         (GuardOrFalse(Gt(weight.sizes[k - 1], 3)) && GuardOrFalse(Gt(weight.sizes[k - 2], 3))) ||
         GuardOrFalse(Gt(input.sizes[0], 1)) || GuardOrFalse(Gt(Numel(input.size_span().subspan(0, 4)), 20480));
}

// What kernels for cpu ask of a bias: oneDNN's its own dtype, those that add it afterwards one that can be cast to it.
void CheckBiasDtype(const TensorMeta& input, const TensorMeta& weight, const TensorMeta& bias, const ConvParams& p) {
  if (bias.dtype == input.dtype || !input.device.is_cpu()) return;
  const bool exact =
      UsesMkldnn(AsPlane(input), AsPlane(weight), p) || IsComplex(input.dtype) || (p.transposed && weight.rank() == 5);
  if (exact || (p.transposed && IsComplex(bias.dtype))) RequireInputDtype(input, bias, "bias");
}

// The dtype of the input times one element of the weight.
ScalarType ScaledDtype(ScalarType input, ScalarType weight) {
  if (IsFloat(input) && IsComplex(weight)) return ToComplexDtype(input);
  return IsFloatOrComplex(input) || !IsFloatOrComplex(weight) ? input : weight;
}

// Without elements there is nothing to convolve: the input is multiplied with the weight, or with one element of it
// where the batch is empty, and the bias is added in place. Source: ConvBackend::Empty in
// aten/src/ATen/native/Convolution.cpp (torch 2.13).
ScalarType EmptyDtype(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias) {
  const bool no_channels = GuardOrFalse(Eq(input.sizes[1], 0));
  const ScalarType dtype =
      no_channels ? PromoteTypes(input.dtype, weight.dtype) : ScaledDtype(input.dtype, weight.dtype);
  const ScalarType sum = bias ? PromoteTypes(dtype, bias->dtype) : dtype;
  if (!CanCast(sum, dtype))
    FailDtype({"adds a {} bias to {}: result type {} can't be cast to the desired output type {}", bias->dtype, dtype,
        TorchName(sum), TorchName(dtype)});
  return dtype;
}

// On the cpu only the kernels that convolve step by step take all integers. Source: slow_conv_dilated_all_cpu_template
// in NaiveDilatedConvolution.cpp, slow_conv_transpose{2,3}d_out_cpu_template (torch 2.13).
void RequireKernelForIntegers(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  if (!input.device.is_cpu() || !IsIntegral(input.dtype) || input.dtype == ScalarType::Long) return;
  if (!AnyAboveOne(p.dilation) && !p.transposed) return;
  const char* kernel = !p.transposed        ? "slow_conv_dilated<>"
                       : weight.rank() == 5 ? "slow_conv_transpose3d_out_cpu"
                                            : "slow_conv_transpose2d_out_cpu";
  FailDtype(
      {"the kernel for {} convolutions takes floating-point numbers and int64, not {}: \"{}\" not implemented for "
       "'{}'",
          p.transposed ? "transposed" : "dilated", input.dtype, kernel, C10DtypeName(input.dtype)});
}

ScalarType ConvolutionDtype(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, const ConvParams& params) {
  if (IsKnownEmpty(input)) return EmptyDtype(input, weight, bias);
  RequireInputDtype(input, weight, "weight");
  RequireKernelForIntegers(input, weight, params);
  if (bias) CheckBiasDtype(input, weight, *bias, params);
  return input.dtype;
}

bool AnyIn(const TensorMeta& a, const TensorMeta& b, MemoryFormat format) {
  return SuggestMemoryFormat(a) == format || SuggestMemoryFormat(b) == format;
}

// The contiguous input of a 1-d convolution. The parts of a complex one, every other element of it, are copied for
// that.
TensorMeta PackedInput(const TensorMeta& input) {
  const bool is_copied = IsComplex(input.dtype) && AnyAboveOne(input.sizes);
  return is_copied ? ContiguousMeta(input.sizes, input.dtype, input.device) : InFormat(input, MemoryFormat::Contiguous);
}

}  // namespace

void RequireSpatial(const TensorMeta& weight) {
  if (weight.rank() < 3)
    Fail(
        ErrorClass::kShapeMismatch, Format("weight should have at least three dimensions, not shape {}", weight.sizes));
}

void RequireInputDtype(const TensorMeta& input, const TensorMeta& other, const char* name) {
  if (other.dtype == input.dtype) return;
  FailDtype({"input type ({}) and {} type ({}) should be the same: expected scalar type {} but found {}",
      TorchCppName(input.dtype), name, TorchCppName(other.dtype), TorchName(input.dtype), TorchName(other.dtype)});
}

Dims SpatialList(const Dims& values, int64_t rank, const char* name) {
  if (static_cast<int64_t>(values.size()) == rank) return values;
  if (values.size() == 1) return Dims(rank, values[0]);
  FailValue(
      {"expected {} to be a single integer value or a list of {} values to match the "
       "convolution dimensions, but got "
       "{}={}",
          name, rank, name, values});
}

ConvParams CheckedConvolution(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, ConvParams params) {
  const int64_t spatial = weight.rank() - 2;
  RequireSpatial(weight);
  params.stride = SpatialList(params.stride, spatial, "stride");
  params.padding = SpatialList(params.padding, spatial, "padding");
  params.dilation = SpatialList(params.dilation, spatial, "dilation");
  params.output_padding = SpatialList(params.output_padding, spatial, "output_padding");
  CheckParams(params);
  RequireShape(input.rank() == weight.rank(),
      {"expected {}-dimensional input for {}-dimensional weight {}, but got {}-dimensional input of size {} "
       "instead",
          weight.rank(), weight.rank(), weight.sizes, input.rank(), input.sizes});
  CheckChannels(input, weight, bias, params);
  CheckSpace(input);
  if (params.transposed) {
    CheckOutputPadding(params);
    CheckTransposedWeight(weight);
  } else {
    CheckKernelFits(input, weight, params);
  }
  return params;
}

Dims ConvolutionSizes(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  const Dim channels = p.transposed ? weight.sizes[1] * p.groups : weight.sizes[0];
  Dims sizes = {input.sizes[0], GuardOrFalse(Eq(input.sizes[1], 0)) ? Dim(0) : channels};
  bool too_small = true, negative = false;
  for (int64_t i = 0; i + 2 < input.rank(); ++i) {
    const Dim n = input.sizes[i + 2], kernel = p.dilation[i] * (weight.sizes[i + 2] - 1);
    sizes.push_back(p.transposed ? (n - 1) * p.stride[i] - Dim(2) * p.padding[i] + kernel + p.output_padding[i] + 1
                                 : FloorDiv(n + Dim(2) * p.padding[i] - kernel - 1, p.stride[i]) + 1);
    too_small = too_small && !GuardOrTrue(Gt(sizes.back(), 0));
    negative = negative || Known(Lt(sizes.back(), 0));
  }
  // oneDNN makes transposed convolutions without elements.
  const auto may_be_empty = [&] {
    return p.may_be_empty ||
           (p.transposed && !p.is_slow && input.device.is_cpu() && UsesMkldnn(AsPlane(input), AsPlane(weight), p));
  };
  if (negative || (too_small && !may_be_empty()))
    FailShape({"given input size per channel {}, the calculated output size per channel {} is too small",
        Spatial(input), DimSpan(sizes).subspan(2)});
  return sizes;
}

MemoryFormat ConvolutionFormat(
    const TensorMeta& input, const TensorMeta& weight, const ConvParams& params, TorchBuild build) {
  const bool is_cpu = input.device.is_cpu();
  if (!is_cpu && !UsesCudnn(input, weight, params, build)) return MemoryFormat::Contiguous;
  if (weight.rank() == 5) {
    const bool keeps = !is_cpu || UsesMkldnn(input, weight, params);
    return keeps && AnyIn(input, weight, MemoryFormat::ChannelsLast3d) ? MemoryFormat::ChannelsLast3d
                                                                       : MemoryFormat::Contiguous;
  }
  const TensorMeta plane = input.rank() == 3 ? AsPlane(PackedInput(input)) : input;
  return AnyIn(plane, AsPlane(weight), MemoryFormat::ChannelsLast) ? MemoryFormat::ChannelsLast
                                                                   : MemoryFormat::Contiguous;
}

Dims ConvolutionStrides(DimSpan sizes, MemoryFormat format) {
  if (format != MemoryFormat::ChannelsLast || sizes.size() != 3) return StridesInFormat(sizes, format);
  Dims strides = StridesInFormat(Dims{sizes[0], sizes[1], 1, sizes[2]}, format);
  strides.erase(strides.begin() + 2);
  return strides;
}

TensorMeta Convolution(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
    const ConvParams& unchecked, TorchBuild build) {
  const ConvParams params = CheckedConvolution(input, weight, bias, unchecked);
  const ScalarType dtype = ConvolutionDtype(input, weight, bias, params);
  TensorMeta out = ContiguousMeta(ConvolutionSizes(input, weight, params), dtype, input.device);
  out.strides = ConvolutionStrides(out.size_span(), ConvolutionFormat(input, weight, params, build));
  return out;
}

}  // namespace fakeprop::rules
