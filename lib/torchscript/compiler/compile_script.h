// Compiles TorchScript's code without LibTorch, to the same graph that torch's own front end makes of it.
#pragma once

#include <optional>
#include <string>

#include "lib/torchscript/compiler/op_schema.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// Nothing, and a reason, if the code has a construct that this compiler does not know, or an error. None of the code is
// run. `add_library` adds the schemas of a library whose operators the code calls ("torchvision"), and returns false if
// it knows none.
std::optional<ScriptGraph> CompileScript(
    const ScriptSource& source, std::string& reason, const script::AddLibrary& add_library = {});

}  // namespace fakeprop
