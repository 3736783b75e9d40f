// A size that a graph spells among its arguments ({"symint": "2*s0 + 1"}) is an Opaque of this class, with the spelling
// for its name.
#pragma once

#include <string_view>

namespace fakeprop {

inline constexpr std::string_view kInlineSize = "torch.SymInt";

}  // namespace fakeprop
