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

// How a step goes over the parameters: one after the other, all at once by torch._foreach_*, or in one kernel. By
// default as torch.optim does: at once if all are on cuda (Adafactor never does), else one after the other.
enum class UpdateForm { kDefault, kLoop, kForeach, kFused };

// How many tensors like a parameter a step makes for each parameter that it updates at a time.
int StepTensors(Optimizer optimizer, UpdateForm form);

// The two maps from 8 bits to numbers that all states of kAdam8bit share.
inline constexpr int64_t kQuantisationMaps = 2 * 256 * 4;
// Returns true if the optimiser keeps 8 bits for each element of this parameter.
bool IsQuantised(Optimizer optimizer, const Tensor& parameter);

}  // namespace fakeprop
