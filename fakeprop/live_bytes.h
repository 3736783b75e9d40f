// What a mode's fake tensors would hold if they were real.
#pragma once

#include "fakeprop/fake_tensor_mode.h"

namespace fakeprop {

// The bytes of the storages on `device` that are alive now; those of fakes from every thread. What an allocator adds
// (rounding, caching) and what kernels need while they run is not known here.
int64_t LiveBytes(const FakeTensorMode& mode, c10::Device device);
// The most that were alive at one time since the mode was made, or since the last ResetPeakBytes.
int64_t PeakBytes(const FakeTensorMode& mode, c10::Device device);
void ResetPeakBytes(const FakeTensorMode& mode, c10::Device device);

}  // namespace fakeprop
