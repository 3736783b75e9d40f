// TorchScript's code, compiled by torch's own front end.
#pragma once

#include "lib/torchscript/script_graph.h"

namespace fakeprop::libtorch {

// Compiles a class's methods from an archive's code and gives one, calls inlined, as torch::jit::Inline leaves it.
// Nothing of the code is run. Throws c10::Error and its kin, and OpError: ValueError for a class or method that is not
// there (the message lists those that are), for code that would run while it is compiled, and for code that calls
// itself into more nodes than a graph may have.
ScriptGraph ImportScript(const ScriptSource& source);

}  // namespace fakeprop::libtorch
