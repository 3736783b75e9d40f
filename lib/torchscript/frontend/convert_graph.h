// Converts torch's graph of a method to plain data.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>

#include "lib/torchscript/script_graph.h"

namespace fakeprop::libtorch {

// The numbers of the archive's tensors, by their addresses.
using ConstantNumbers = std::unordered_map<const c10::TensorImpl*, int32_t>;

// A constant that is not a tensor. Dtypes, layouts and memory formats are ints in TorchScript.
Value PlainConstant(const c10::IValue& constant);

// Fills values, body and texts. `root` is the class of the method.
void ReadGraph(
    const torch::jit::Graph& graph, const c10::ClassType& root, const ConstantNumbers& constants, ScriptGraph& out);

}  // namespace fakeprop::libtorch
