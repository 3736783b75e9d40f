// Codes of findings about training.
#pragma once

#include "fakeprop/diagnostic.h"

namespace fakeprop {

inline constexpr Code kNothingToTrain{"FP7102", "NothingToTrain"};

// Modules are named that the graph does not have, or the graph has its own backward pass.
inline constexpr Code kNoModules{"FP7103", "NoModules"};

}  // namespace fakeprop
