// torch's graph of a method as plain data.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>

#include "lib/torchscript/script_graph.h"

namespace fakeprop::libtorch {

// Stand for the tensors of the archive: which one, by its address.
using ConstantNumbers = std::unordered_map<const c10::TensorImpl*, int32_t>;

// A constant that is no tensor. Dtypes, layouts and memory formats are ints in TorchScript.
Value PlainConstant(const c10::IValue& constant);

// Fills values, body and texts. `root`: the class whose method the graph is.
void ReadGraph(
    const torch::jit::Graph& graph, const c10::ClassType& root, const ConstantNumbers& constants, ScriptGraph& out);

}  // namespace fakeprop::libtorch
