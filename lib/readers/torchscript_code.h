// Compiles the code of TorchScript archives.
#pragma once

#include "lib/torchscript/read_torchscript.h"

namespace fakeprop {

// The same options with fakeprop's own compiler before the one that they name, which gets what ours does not know.
TorchScriptOptions WithOwnCompiler(const TorchScriptOptions& options);

}  // namespace fakeprop
