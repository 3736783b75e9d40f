// The sizes and the layout of a convolution's result on metas.
// Source: check_shape_forward, ConvParams and _conv_determine_backend_memory_format in
// aten/src/ATen/native/{Convolution.cpp,ConvUtils.h}; conv in torch/_subclasses/fake_impls.py (torch 2.13).
#pragma once

#include "lib/meta/tensor_meta.h"

namespace fakeprop::rules {

struct ConvParams {
  Dims stride;
  Dims padding;
  Dims dilation;
  bool transposed = false;
  Dims output_padding;
  Dim groups = 1;
};

// A weight has dimensions of space behind its channels.
void RequireSpatial(const TensorMeta& weight);
// The operand `name` is of the input's dtype.
void RequireInputDtype(const TensorMeta& input, const TensorMeta& other, const char* name);
// One value stands for all `rank` spatial dimensions; other lengths are an OpError.
Dims SpatialList(const Dims& values, int64_t rank, const char* name);

// Checks the operands and repeats single parameters for each spatial dimension.
ConvParams CheckedConvolution(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, ConvParams params);
// After CheckedConvolution.
Dims ConvolutionSizes(const TensorMeta& input, const TensorMeta& weight, const ConvParams& params);
// The layout that the kernel chosen on the input's device works in; ChannelsLast for 1-d convolutions is that of the
// 2-d one that they run as.
MemoryFormat ConvolutionFormat(const TensorMeta& input, const TensorMeta& weight, const ConvParams& params);
// Strides of a result of these sizes in that format, 1-d convolutions included.
Dims ConvolutionStrides(DimSpan sizes, MemoryFormat format);

// All of it: what at::convolution returns.
TensorMeta Convolution(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, const ConvParams& params);

}  // namespace fakeprop::rules
