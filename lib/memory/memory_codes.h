// Codes of findings about memory and cost.
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kOverBudget{"FP9001", "OverBudget"};

}  // namespace fakeprop
