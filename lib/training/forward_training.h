// Training by a forward graph: what autograd saves, and the backward pass as its engine goes through it.
#pragma once

#include "lib/training/training_step.h"

namespace fakeprop {

// Nodes go backward in the reverse order of the graph, as the engine's sequence numbers have it. What a node saved is
// released once its formula has run. Source: torch/csrc/autograd/engine.cpp, input_buffer.cpp (torch 2.13).
TrainingStep ModelForwardTraining(const Graph& graph, const Annotations& annotations, const TrainingOptions& options);

}  // namespace fakeprop
