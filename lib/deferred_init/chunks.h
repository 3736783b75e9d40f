// A part of a deferred tensor, computed without the rest.
#pragma once

#include <ATen/core/TensorBody.h>

#include <optional>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/op_graph.h"

namespace fakeprop::deferred_init {

// The slice of a deferred tensor as a new contiguous tensor. Nothing if its recorded calls are not all elementwise.
// `device` takes the place of the recorded one. The slice must be within the tensor.
std::optional<at::Tensor> TrySlice(const at::Tensor& fake, const TensorSlice& slice, std::optional<c10::Device> device);

// Returns true if TrySlice gives slices of the tensor.
bool CanSlice(const at::Tensor& fake);

// Returns true if results of the operator depend on the same elements of its tensor arguments alone.
bool IsElementwise(const c10::OperatorHandle& op);

}  // namespace fakeprop::deferred_init
