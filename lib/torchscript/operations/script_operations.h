// The operations that only TorchScript has.
#pragma once

#include <string_view>

namespace fakeprop {

// Returns true if a handler serves the operation without a rule, such as "prim::If" or "aten::append.t".
bool IsScriptOperation(std::string_view op);

}  // namespace fakeprop
