// The parameters of a TorchScript method as inputs of a graph.
#pragma once

#include "lib/graph/graph.h"
#include "lib/torchscript/script_graph.h"
#include "lib/torchscript/script_names.h"

namespace fakeprop {

// Adds a placeholder, or for a tuple one for each thing that it holds ("state_0", "state_1") and the node that joins
// them. Gives the index of the node whose value the parameter is.
int32_t AddScriptInput(const ScriptInput& input, Graph& graph, UniqueNames& names);

}  // namespace fakeprop
