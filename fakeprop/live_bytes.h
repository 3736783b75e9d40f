// The memory that a mode's fake tensors would need if they were real.
#pragma once

#include "fakeprop/fake_tensor_mode.h"

namespace fakeprop {

// The bytes of all storages on `device` that are alive now, of fakes from every thread. The overhead of an allocator
// (rounding, caching) and the scratch memory of kernels are not included.
int64_t LiveBytes(const FakeTensorMode& mode, c10::Device device);
// The most bytes that were alive at one time since the mode was made, or since the last ResetPeakBytes.
int64_t PeakBytes(const FakeTensorMode& mode, c10::Device device);
void ResetPeakBytes(const FakeTensorMode& mode, c10::Device device);

}  // namespace fakeprop
