// What one step of training holds: the forward pass with what autograd saves, the backward pass with its gradients, and
// the optimiser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/memory/liveness.h"
#include "lib/training/optimizer.h"

namespace fakeprop {

struct TrainingOptions {
  Optimizer optimizer = Optimizer::kNone;
  bool master_weights = false;          // a copy in float32 of each parameter that has less
  bool accumulate = false;              // gradients of earlier batches are held while this one runs
  std::vector<std::string> checkpoint;  // patterns of modules whose activations are recomputed
  // When values of the forward pass are dropped. Nothing: after their last use in a joint graph, at the end of their
  // scope in a forward graph, as variables of Python are.
  std::optional<FreeWhen> free = std::nullopt;
  UpdateForm update = UpdateForm::kDefault;  // how the optimiser goes over the parameters
};

struct TrainingStep {
  Timeline timeline;
  bool is_joint = false;                 // the graph has its own backward pass
  std::vector<std::string> approximate;  // operators for which it is not known what autograd saves; sorted
  std::vector<const Node*> recomputed;   // in the order of the backward pass
  std::vector<std::string> checkpoints;  // the modules that they are in, sorted
  int64_t gradients = 0;                 // how many parameters and inputs get one; 0: nothing can be trained
};

// A graph whose last outputs have the sizes of its parameters, in their order, is taken for a joint graph, which
// computes gradients itself. Others are forward graphs. The run must have no errors.
TrainingStep ModelTraining(const Graph& graph, const Annotations& annotations, const TrainingOptions& options);

}  // namespace fakeprop
