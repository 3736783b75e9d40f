// Keeps track of what errors make unknown in a graph: results of failed nodes, and tensors that a failed node should
// have changed.
#pragma once

#include "lib/interpreter/frame.h"

namespace fakeprop {

// Returns the failed node that a node depends on, or -1.
int32_t FailedDependency(const Frame& frame, int32_t index);

// Returns the failed node that should have changed the tensor, or -1.
int32_t PoisonedBy(const Frame& frame, const Tensor* tensor);

// Makes unknown all tensors that the failed node should have changed.
void Poison(Frame& frame, int32_t index);
// Makes unknown, for the node that called a subgraph, all tensors that nodes of the subgraph should have changed.
void PoisonCaller(Frame& caller, int32_t index, const Frame& subgraph);

}  // namespace fakeprop
