// What `with torch.autocast` does to operators in TorchScript, which is not what it does in Python.
#pragma once

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// Runs an operator in an autocast region of TorchScript: its tensors are cast as its pass would have put casts before
// it, and no autocast is on beneath. Source: handleBlock in torch/csrc/jit/passes/autocast.cpp (torch 2.13).
Value CallUnderScriptAutocast(HigherOrderCall& call, const Schema& schema, std::vector<const Value*> arguments);

}  // namespace fakeprop
