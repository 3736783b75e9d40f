// What an optimiser keeps for each parameter, and what a step of it needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/meta/objects.h"

namespace fakeprop {

enum class Optimizer { kNone, kSgd, kMomentum, kAdam, kAdamW, kAdafactor, kAdam8bit };

// In the order of the enum: "none", "sgd", "momentum", "adam", "adamw", "adafactor", "adam8bit".
std::string_view Name(Optimizer optimizer);

// A tensor that lives as long as the training.
struct OptimizerState {
  std::string_view role;  // "first moment of"
  Dim bytes;
};
// `keeps_master` adds a copy in float32 of a parameter that has less, and keeps the states in float32.
std::vector<OptimizerState> StatesOf(Optimizer optimizer, const Tensor& parameter, bool keeps_master);

// How many tensors like a parameter a step makes while it updates it.
int StepTensors(Optimizer optimizer);

}  // namespace fakeprop
