// Makes inputs of a graph from the parameters of a TorchScript method.
#pragma once

#include "lib/graph/graph.h"
#include "lib/torchscript/script_graph.h"
#include "lib/torchscript/script_names.h"

namespace fakeprop {

// Adds a placeholder. For a tuple adds one for each item ("state_0", "state_1"), and a node that joins them. Returns
// the index of the node that has the parameter's value.
int32_t AddScriptInput(const ScriptInput& input, Graph& graph, UniqueNames& names);

}  // namespace fakeprop
