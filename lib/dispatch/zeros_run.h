// The part of ServeByRealKernel that runs in the child process: runs the kernel and writes the outcome for the parent.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

namespace fakeprop::dispatch {

// Written before each boxed value. kArgument is followed by an index into DistinctTensors.
enum class Tag : uint8_t { kNone, kInt, kDouble, kBool, kComplex, kArgument, kTensor, kList };
enum class Ending : uint8_t { kResults, kError, kAliasing };

// The operator's arguments on top of the stack.
c10::ArrayRef<c10::IValue> ArgumentsOn(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
// The distinct tensors among the arguments. Both processes refer to them by their index here.
std::vector<at::Tensor> DistinctTensors(c10::ArrayRef<c10::IValue> arguments);

// Runs the operator's CPU kernel with zeros for the fake tensors of the stack. Returns as bytes either kResults, the
// geometry of each distinct argument and the results, or kError, the class and the message. Returns nothing if neither
// can be written.
std::string RunOnZeros(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

}  // namespace fakeprop::dispatch
