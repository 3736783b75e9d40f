// Training by a joint graph, which computes the loss and the gradients.
#pragma once

#include <vector>

#include "lib/training/training_step.h"

namespace fakeprop {

// An output of the graph that is the gradient of a parameter.
struct JointGradient {
  int32_t output = 0;  // its position among the outputs
  int32_t node = -1;   // that returns it
  int32_t parameter = -1;
};

// Empty if the graph has no backward pass. Files of torch.export mark parameters, so that consecutive outputs have to
// have the sizes and dtypes of all that are trained. Graphs of torch.fx do not: there the last outputs have to have
// those of the first inputs, at least two.
std::vector<JointGradient> FindJointGradients(const Graph& graph, const Annotations& annotations);

// The graph's own lifetimes, with categories: what the nodes before the loss make and others use is an activation.
TrainingStep ModelJointTraining(const Graph& graph, const Annotations& annotations,
    const std::vector<JointGradient>& gradients, const TrainingOptions& options);

}  // namespace fakeprop
