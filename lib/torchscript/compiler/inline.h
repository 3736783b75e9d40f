// Replaces calls of functions and methods by what they do.
#pragma once

#include "lib/torchscript/compiler/program.h"

namespace fakeprop::script {

// In a graph, and in all that it calls. Declines if that is more than a graph may have.
void InlineCalls(IrGraph& graph, Program& program);

}  // namespace fakeprop::script
