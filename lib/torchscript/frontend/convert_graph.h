// Converts torch's graph of a method to plain data.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <unordered_map>

#include "lib/torchscript/script_graph.h"

namespace fakeprop::libtorch {

// The numbers of the archive's tensors and objects, by the addresses of what stands for them.
using ConstantNumbers = std::unordered_map<const void*, int32_t>;

// The address of a tensor or object; null for any other value.
const void* AddressOf(const c10::IValue& value);

// A constant that is not a tensor. Dtypes, layouts and memory formats are ints in TorchScript.
Value PlainConstant(const c10::IValue& constant);

// Returns the graph of a method of `root` as a block. Adds to values and texts of `out`.
ScriptBlock ReadGraph(
    const torch::jit::Graph& graph, const c10::ClassType& root, const ConstantNumbers& constants, ScriptGraph& out);

}  // namespace fakeprop::libtorch
