// Nodes that do more than to compute their results.
#pragma once

#include "lib/torchscript/compiler/ir.h"

namespace fakeprop::script {

// Apart from writes to arguments, which schemas tell of.
bool HasOwnSideEffects(const IrNode& node);

}  // namespace fakeprop::script
