// The child's side of ServeByRealKernel: the kernel's run, and how its outcome is written for the parent.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

namespace fakeprop::dispatch {

// What stands before each boxed value; kArgument: the place among DistinctTensors.
enum class Tag : uint8_t { kNone, kInt, kDouble, kBool, kComplex, kArgument, kTensor, kList };
enum class Ending : uint8_t { kResults, kError, kAliasing };

// The operator's arguments on top of the stack.
c10::ArrayRef<c10::IValue> ArgumentsOn(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
// The distinct tensors among the arguments: both processes know them by their place here.
std::vector<at::Tensor> DistinctTensors(c10::ArrayRef<c10::IValue> arguments);

// Runs the operator's CPU kernel with zeros for the fake tensors of the stack. Gives, as bytes, kResults, the geometry
// of each distinct argument and the results, or kError, the class and the message; nothing where not even that can be
// said.
std::string RunOnZeros(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
