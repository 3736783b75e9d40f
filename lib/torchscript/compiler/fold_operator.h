// Operators on numbers, texts and None, computed while code is compiled.
#pragma once

#include <optional>
#include <vector>

#include "lib/torchscript/compiler/ir.h"

namespace fakeprop::script {

// The results of a node whose inputs are these constants. Nothing if the operator would fail. Declines if this compiler
// cannot compute it.
std::optional<std::vector<Value>> FoldOperator(const IrNode& node, const std::vector<Value>& inputs);

}  // namespace fakeprop::script
