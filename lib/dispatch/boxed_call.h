// The arguments of a call as LibTorch's schema orders them. Our schema is that of the newest version of torch.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>

#include "lib/rules/core/call.h"

namespace fakeprop::dispatch {

using BoxArgument = std::function<c10::IValue(const Value&, const c10::Argument&)>;

// Throws an OpError of class UnsupportedOperator if this LibTorch lacks an argument that the call gives.
torch::jit::Stack BoxArguments(const c10::OperatorHandle& op, const Call& call, const BoxArgument& box);

// Where an argument of our schema is among the arguments of LibTorch's: -1 if this LibTorch lacks it.
int PositionInLibTorch(const c10::FunctionSchema& libtorch, const Schema& schema, int argument);

}  // namespace fakeprop::dispatch
