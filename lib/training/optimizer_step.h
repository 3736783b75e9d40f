// The optimiser's part of a step of training.
#pragma once

#include <vector>

#include "lib/memory/timeline.h"
#include "lib/training/training_step.h"

namespace fakeprop {

struct TrainedParameter {
  const Node* node = nullptr;
  const Tensor* tensor = nullptr;
};

// Adds the states, which are alive all the time, and a last step that updates the parameters. Blocks that are alive at
// the last step before it are alive at it too, if they stay at all.
void AddOptimizer(const std::vector<TrainedParameter>& trained, const TrainingOptions& options, Timeline& timeline);

}  // namespace fakeprop
