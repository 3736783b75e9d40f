// Shared by normalization operators.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// The dtype that normalizations compute in: float32 for half precision. Source: torch/_prims_common
// get_computation_dtype.
ScalarType ComputationDtype(ScalarType dtype);

// The dtypes of statistics and parameters for an input of this dtype: the same one; for half precision also float32.
// Source: check_mixed_data_type and is_mixed_type in aten/src/ATen/native/cpu/mixed_data_type.h.
Dtypes StatisticsDtypes(ScalarType input);

// Demands that the tensors that are given share one of these dtypes. Returns it, or the input's where none is given.
ScalarType RequireFittingDtype(std::initializer_list<Operand> tensors, const Operand& input);

// A per-channel tensor [channels] as it broadcasts against `rank` dimensions: [1, channels, 1, ...].
TensorMeta PerChannel(Dim channels, int64_t rank, ScalarType dtype, Device device);
// The same with strides of 0, as the cpu's kernel expands a vector (as_nd in batch_norm_cpu_transform_input_template).
TensorMeta ExpandedPerChannel(Dim channels, int64_t rank, ScalarType dtype, Device device);

// What a batch normalization may be given for each channel.
inline constexpr ArgumentNames kBatchNormParameters = {"weight", "bias", "running_mean", "running_var"};

// Whether those that are given are contiguous.
bool HasContiguousParameters(const Call& call);
// Demands that they are on the input's device, 0-dim tensors of the cpu too: each is a vector here. Generated out=
// forms ask about the devices of their own arguments alone.
void RequireParametersOnDevice(const Call& call, const Operand& input);

// The format of the CPU kernel's result of a batch normalization: beside contiguous parameters the first format in
// which the input is contiguous. Source: batch_norm_cpu, suggest_memory_format_contig in
// aten/src/ATen/native/Normalization.cpp.
MemoryFormat BatchNormFormatOnCpu(const Call& call, const TensorMeta& input);

// Whether cuDNN's kernel serves a call of batch normalization on that device. Source: _select_batch_norm_backend, which
// does not look at `cudnn_enabled`, for sizes that do not exceed cuDNN's. The result lies in memory as a dense copy of
// the input.
bool UsesCudnnBatchNorm(const Call& call);
// Makes the second and third results cuDNN's: it saves no statistics in evaluation.
void SaveAsCudnn(Call& call);

// The gradient of a batch normalization's input. `out`: as FakeTensorMode has it; the CPU kernel gives it a format of
// its own. Source: batch_norm_backward_cpu in aten/src/ATen/native/Normalization.cpp.
TensorMeta BatchNormGradient(const TensorMeta& grad, const TensorMeta& input, const TensorMeta& out);

// Returns the tensor if `wanted` (its element of the mask) is true, else None.
void ReturnWanted(Call& call, bool wanted, TensorMeta meta);

}  // namespace fakeprop::rules
