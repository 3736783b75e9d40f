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

// A per-channel tensor [channels] as it broadcasts against `rank` dimensions: [1, channels, 1, ...].
TensorMeta PerChannel(Dim channels, int64_t rank, ScalarType dtype, Device device);

// Returns the tensor if `wanted` (its element of the mask) is true, else None.
void ReturnWanted(Call& call, bool wanted, TensorMeta meta);

}  // namespace fakeprop::rules
