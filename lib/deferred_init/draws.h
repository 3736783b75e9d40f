// How many random numbers a call draws.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>

#include "lib/deferred_init/random_stream.h"

namespace fakeprop::deferred_init {

// Returns true if the operator may draw random numbers.
bool MayDraw(const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments);

// What LibTorch's cpu kernel draws for a call with these arguments and this first result, or nothing if that is not
// known. Elementwise fills are measured on a few elements of the same dtype with the same arguments, since LibTorch's
// builds differ. Source of the others: normal_kernel, randperm_cpu in aten/src/ATen/native (torch 2.13).
std::optional<Draws> CountDraws(
    const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments, const at::Tensor& result);

// The generator among the arguments, or the default one of the cpu.
at::Generator GeneratorOf(const std::vector<c10::IValue>& arguments);

}  // namespace fakeprop::deferred_init
