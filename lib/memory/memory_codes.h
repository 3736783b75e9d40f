// Codes of findings about memory and cost.
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kOverBudget{"FP7101", "OverBudget"};

}  // namespace fakeprop
