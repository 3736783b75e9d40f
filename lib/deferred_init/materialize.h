// Makes fakes real in place, and fake again.
#pragma once

#include <ATen/core/TensorBody.h>

#include <vector>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/replay_calls.h"

namespace fakeprop::deferred_init {

// Checks the options against the tensor, and says where its calls run.
ReplayOptions ReplayOptionsFor(const at::Tensor& fake, const MaterializeOptions& options);

// A real tensor on the device and of the dtype that the options ask for; the same one if it is so already.
at::Tensor Converted(const at::Tensor& real, const MaterializeOptions& options);

// The slice with a dimension that is not negative. Throws c10::IndexError if it is not within the tensor.
TensorSlice CheckSlice(const at::Tensor& tensor, TensorSlice slice);

// Makes the fake the real tensor, without a look at its recording. Forgets the recording.
void BecomeReal(const at::Tensor& fake, const at::Tensor& real);

// Makes the fake real with these elements, or with a slice of them. What its aliases have beyond them is replayed.
void LoadInto(const at::Tensor& fake, const at::Tensor& elements, const std::optional<TensorSlice>& slice,
    const MaterializeOptions& options);

}  // namespace fakeprop::deferred_init
