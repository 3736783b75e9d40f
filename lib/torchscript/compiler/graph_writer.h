// Hands a compiled graph over as plain data.
#pragma once

#include "lib/torchscript/compiler/program.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop::script {

// The graph of a method of `root`, as a block. Adds to values and texts of `out`.
ScriptBlock WriteGraph(IrGraph& graph, const ScriptClass& root, Program& program, ScriptGraph& out);
// The parameters of a method, without `self`.
std::vector<ScriptInput> WriteInputs(const OpSchema& schema);

}  // namespace fakeprop::script
