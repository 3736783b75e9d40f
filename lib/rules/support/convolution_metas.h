// Computes the sizes and the layout of a convolution's result. Source: check_shape_forward, ConvParams and
// _conv_determine_backend_memory_format in aten/src/ATen/native/{Convolution.cpp,ConvUtils.h}; conv in
// torch/_subclasses/fake_impls.py (torch 2.13).
#pragma once

#include "lib/base/version.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop::rules {

struct ConvParams {
  Dims stride;
  Dims padding;
  Dims dilation;
  bool transposed = false;
  Dims output_padding;
  Dim groups = 1;
  bool may_be_empty = false;  // a kernel may exceed its input by a step, which leaves a result without elements
  bool is_slow = false;       // the operator names the slow kernel
};

// Demands that a weight has spatial dimensions after its channels.
void RequireSpatial(const TensorMeta& weight);
// Demands that the operand `name` has the input's dtype.
void RequireInputDtype(const TensorMeta& input, const TensorMeta& other, const char* name);
// The values for `rank` spatial dimensions. A single value is repeated for all. Throws OpError for any other length.
Dims SpatialList(const Dims& values, int64_t rank, const char* name);

// Checks the operands and repeats single parameters for each spatial dimension.
ConvParams CheckedConvolution(
    const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias, ConvParams params);
// Call it after CheckedConvolution.
Dims ConvolutionSizes(const TensorMeta& input, const TensorMeta& weight, const ConvParams& params);
// The layout of the kernel that runs on the input's device. A 1-d convolution runs as a 2-d one, and ChannelsLast is
// the layout of that one.
MemoryFormat ConvolutionFormat(
    const TensorMeta& input, const TensorMeta& weight, const ConvParams& params, TorchBuild build);
// The strides of a result of these sizes in that format, also for 1-d convolutions.
Dims ConvolutionStrides(DimSpan sizes, MemoryFormat format);

// The result of at::convolution.
TensorMeta Convolution(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
    const ConvParams& params, TorchBuild build);

}  // namespace fakeprop::rules
