// Compiles TorchScript's code without LibTorch, to the same graph that torch's own front end makes of it.
#pragma once

#include <optional>
#include <string>

#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// Nothing, and a reason, if the code has a construct that this compiler does not know, or an error. None of the code is
// run.
std::optional<ScriptGraph> CompileScript(
    const ScriptSource& source, std::string& reason, const AddScriptLibrary& add_library = {});

}  // namespace fakeprop
