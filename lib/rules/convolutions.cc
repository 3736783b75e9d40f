#include "lib/rules/convolutions.h"

#include "lib/meta/dtype.h"
#include "lib/meta/error.h"
#include "lib/rules/intermediate.h"

namespace fakeprop {
namespace {

std::string Shape(const TensorMeta& t) { return ToString(t.size_span()); }

DimSpan Spatial(const TensorMeta& t) { return t.size_span().subspan(2); }

void RequireAll(const Dims& values, Cond (*holds)(Dim, Dim), Dim bound, const char* message) {
  for (Dim v : values)
    if (!Expect(holds(v, bound))) Fail(ErrorClass::kValueError, std::string(message) + ", got " + ToString(values));
}

void CheckParams(const ConvParams& p) {
  RequireAll(p.padding, Ge, 0, "negative padding is not supported");
  RequireAll(p.output_padding, Ge, 0, "negative output_padding is not supported");
  RequireAll(p.stride, Gt, 0, "non-positive stride is not supported");
  RequireAll(p.dilation, Gt, 0, "dilation should be greater than zero");
  if (!Expect(Gt(p.groups, 0)))
    Fail(ErrorClass::kValueError, "non-positive groups is not supported, got " + p.groups.ToString());
}

void CheckChannels(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, const ConvParams& p) {
  if (!Expect(Ge(weight.sizes[0], p.groups)) || !Expect(Eq(Mod(weight.sizes[0], p.groups), 0))) {
    Fail(ErrorClass::kShapeMismatch, "a weight of shape " + Shape(weight) + " does not divide into " +
                                         p.groups.ToString() + " groups at dimension 0");
  }
  const Dim channels = p.transposed ? weight.sizes[0] : weight.sizes[1] * p.groups;
  if (!Expect(Eq(input.sizes[1], channels))) {
    Fail(ErrorClass::kShapeMismatch, "given groups=" + p.groups.ToString() + " and weight of size " + Shape(weight) +
                                         ", expected input " + Shape(input) + " to have " + channels.ToString() +
                                         " channels, but got " + input.sizes[1].ToString() + " channels instead");
  }
  const Dim outputs = p.transposed ? weight.sizes[1] * p.groups : weight.sizes[0];
  if (bias && (bias->rank() != 1 || !Expect(Eq(bias->sizes[0], outputs)))) {
    Fail(ErrorClass::kShapeMismatch, "expected bias to be 1-dimensional with " + outputs.ToString() +
                                         " elements, but got bias of size " + Shape(*bias));
  }
}

// Where there are no batches or no channels, space may be empty too.
void CheckSpace(const TensorMeta& input) {
  for (Dim size : Spatial(input)) {
    if (GuardOrFalse(Eq(input.sizes[0], 0)) || GuardOrFalse(Eq(input.sizes[1], 0)) || Expect(Gt(size, 0))) continue;
    Fail(ErrorClass::kShapeMismatch,
        "only zero batch or zero channel inputs are supported, but got input shape: " + Shape(input));
  }
}

void CheckKernelFits(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  Dims padded, kernel;
  bool fits = true;
  for (int64_t i = 0; i + 2 < input.rank(); ++i) {
    padded.push_back(input.sizes[i + 2] + Dim(2) * p.padding[i]);
    kernel.push_back(p.dilation[i] * (weight.sizes[i + 2] - 1) + 1);
    fits = fits && Expect(Ge(padded.back(), kernel.back()));
  }
  if (fits) return;
  Fail(ErrorClass::kShapeMismatch, "calculated padded input size per channel: " + ToString(padded) + ", kernel size: " +
                                       ToString(kernel) + "; the kernel can't be greater than the actual input");
}

// Slow and oneDNN kernels alike fill at most one step beyond the last one.
void CheckOutputPadding(const ConvParams& p) {
  for (size_t i = 0; i < p.output_padding.size(); ++i) {
    if (Expect(Or(Lt(p.output_padding[i], p.stride[i]), Lt(p.output_padding[i], p.dilation[i])))) continue;
    Fail(ErrorClass::kValueError,
        "output padding must be smaller than either stride or dilation, but got output_padding " +
            ToString(p.output_padding) + ", stride " + ToString(p.stride) + ", dilation " + ToString(p.dilation));
  }
}

// The 2-d convolution that a 1-d one runs as; the input is made contiguous first.
TensorMeta AsPlane(const TensorMeta& t) { return t.rank() == 3 ? Unsqueezed(t, 2) : t; }

// ConvParams::use_mkldnn for dense cpu tensors of a process with several threads; oneDNN takes bfloat16 on every
// current server, float16 only where avx512_fp16 is.
bool UsesMkldnn(const TensorMeta& input, const TensorMeta& weight, const ConvParams& p) {
  if (p.transposed) {
    for (size_t i = 0; i < p.output_padding.size(); ++i)
      if (GuardOrFalse(Ge(p.output_padding[i], p.stride[i]))) return false;
  }
  if (input.dtype == ScalarType::BFloat16) return true;
  if (input.dtype != ScalarType::Float) return false;
  const int64_t k = weight.rank();
  return GuardOrFalse(Gt(p.groups, 1)) ||
         (GuardOrFalse(Gt(weight.sizes[k - 1], 3)) && GuardOrFalse(Gt(weight.sizes[k - 2], 3))) ||
         GuardOrFalse(Gt(input.sizes[0], 1)) || GuardOrFalse(Gt(Numel(input.size_span().subspan(0, 4)), 20480));
}

// What kernels for cpu ask of a bias: oneDNN's its own dtype, those that add it afterwards one that can be cast to it.
void CheckBiasDtype(const TensorMeta& input, const TensorMeta& weight, const TensorMeta& bias, const ConvParams& p) {
  if (bias.dtype == input.dtype || !input.device.is_cpu()) return;
  const bool exact = UsesMkldnn(input, weight, p) || IsComplex(input.dtype) || (p.transposed && weight.rank() == 5);
  if (!exact && !(p.transposed && IsComplex(bias.dtype))) return;
  Fail(ErrorClass::kDtypeMismatch, "input type " + std::string(DtypeName(input.dtype)) + " and bias type " +
                                       std::string(DtypeName(bias.dtype)) + " should be the same");
}

bool AnyIn(const TensorMeta& a, const TensorMeta& b, MemoryFormat format) {
  return SuggestMemoryFormat(a) == format || SuggestMemoryFormat(b) == format;
}

}  // namespace

Dims SpatialList(const Dims& values, int64_t rank, const char* name) {
  if (static_cast<int64_t>(values.size()) == rank) return values;
  if (values.size() == 1) return Dims(rank, values[0]);
  Fail(ErrorClass::kValueError, std::string("expected ") + name + " to be a single integer or a list of " +
                                    std::to_string(rank) + " values to match the convolution dimensions, but got " +
                                    ToString(values));
}

ConvParams CheckedConvolution(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, ConvParams params) {
  const int64_t spatial = weight.rank() - 2;
  if (spatial <= 0)
    Fail(ErrorClass::kShapeMismatch, "weight should have at least three dimensions, not shape " + Shape(weight));
  params.stride = SpatialList(params.stride, spatial, "stride");
  params.padding = SpatialList(params.padding, spatial, "padding");
  params.dilation = SpatialList(params.dilation, spatial, "dilation");
  params.output_padding = SpatialList(params.output_padding, spatial, "output_padding");
  CheckParams(params);
  if (input.rank() != weight.rank()) {
    Fail(ErrorClass::kShapeMismatch, "expected " + std::to_string(weight.rank()) + "-dimensional input for weight " +
                                         Shape(weight) + ", but got input of size " + Shape(input) + " instead");
  }
  CheckChannels(input, weight, bias, params);
  CheckSpace(input);
  if (params.transposed) {
    CheckOutputPadding(params);
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
  if (too_small || negative) {
    Fail(ErrorClass::kShapeMismatch, "given input size per channel " + ToString(Spatial(input)) +
                                         ", the calculated output size per channel " +
                                         ToString(DimSpan(sizes).subspan(2)) + " is too small");
  }
  return sizes;
}

MemoryFormat ConvolutionFormat(const TensorMeta& input, const TensorMeta& weight, const ConvParams& params) {
  // Without cuDNN's own wish, which a build without CUDA cannot ask for, other devices give contiguous results.
  if (!input.device.is_cpu()) return MemoryFormat::Contiguous;
  if (weight.rank() == 5) {
    const bool last = UsesMkldnn(input, weight, params) && AnyIn(input, weight, MemoryFormat::ChannelsLast3d);
    return last ? MemoryFormat::ChannelsLast3d : MemoryFormat::Contiguous;
  }
  const TensorMeta plane = AsPlane(input.rank() == 3 ? InFormat(input, MemoryFormat::Contiguous) : input);
  return AnyIn(plane, AsPlane(weight), MemoryFormat::ChannelsLast) ? MemoryFormat::ChannelsLast
                                                                   : MemoryFormat::Contiguous;
}

Dims ConvolutionStrides(DimSpan sizes, MemoryFormat format) {
  if (format != MemoryFormat::ChannelsLast || sizes.size() != 3) return StridesInFormat(sizes, format);
  Dims strides = StridesInFormat(Dims{sizes[0], sizes[1], 1, sizes[2]}, format);
  strides.erase(strides.begin() + 2);
  return strides;
}

TensorMeta Convolution(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, const ConvParams& unchecked) {
  if (input.dtype != weight.dtype) {
    Fail(ErrorClass::kDtypeMismatch, "input type " + std::string(DtypeName(input.dtype)) + " and weight type " +
                                         std::string(DtypeName(weight.dtype)) + " should be the same");
  }
  const ConvParams params = CheckedConvolution(input, weight, bias, unchecked);
  if (bias) CheckBiasDtype(input, weight, *bias, params);
  TensorMeta out = ContiguousMeta(ConvolutionSizes(input, weight, params), input.dtype, input.device);
  out.strides = ConvolutionStrides(out.size_span(), ConvolutionFormat(input, weight, params));
  return out;
}

}  // namespace fakeprop
