// Compiles TorchScript's code by torch's own front end.
#pragma once

#include "lib/torchscript/script_graph.h"

namespace fakeprop::libtorch {

// Compiles a class's methods from an archive's code, and returns one of them with calls inlined by torch::jit::Inline.
// None of the code is run. Throws c10::Error and derived classes. Throws an OpError of class ValueError if a class or
// method is not there (the message lists those that are), if code would run during compilation, or if recursion makes
// more nodes than a graph may have.
ScriptGraph ImportScript(const ScriptSource& source);

}  // namespace fakeprop::libtorch
