// The tensors that an operator writes to, by its schema.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <vector>

namespace fakeprop::dispatch {

// The tensors that the call writes to. Its arguments are at the top of the stack.
std::vector<at::Tensor> WrittenTensors(const c10::FunctionSchema& schema, const torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
