#include "lib/training/training_step.h"

#include "lib/training/forward_training.h"
#include "lib/training/joint_training.h"

namespace fakeprop {

TrainingStep ModelTraining(const Graph& graph, const Annotations& annotations, const TrainingOptions& options) {
  const std::vector<JointGradient> gradients = FindJointGradients(graph, annotations);
  return gradients.empty() ? ModelForwardTraining(graph, annotations, options)
                           : ModelJointTraining(graph, annotations, gradients, options);
}

}  // namespace fakeprop
