// Codes of what value ranges find (docs/diagnostics.md).
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kIndexAlwaysOutOfRange{"FP8019", "IndexAlwaysOutOfRange"};
inline constexpr Code kIndexLimit{"FP8020", "IndexLimit"};

}  // namespace fakeprop
