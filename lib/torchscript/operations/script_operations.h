// Which operations TorchScript has of its own.
#pragma once

#include <string_view>

namespace fakeprop {

// Whether something here serves "prim::If" or "aten::append.t" without a rule.
bool IsScriptOperation(std::string_view op);

}  // namespace fakeprop
