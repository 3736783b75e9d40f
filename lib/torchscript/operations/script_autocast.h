// The effect of `with torch.autocast` on operators in TorchScript, which differs from Python's.
#pragma once

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// Runs an operator in an autocast region of TorchScript. Casts its tensors as TorchScript's pass does, which inserts
// casts before the operator, and then runs it without autocast. Source: handleBlock in
// torch/csrc/jit/passes/autocast.cpp (torch 2.13).
Value CallUnderScriptAutocast(HigherOrderCall& call, const Schema& schema, std::vector<const Value*> arguments);

}  // namespace fakeprop
