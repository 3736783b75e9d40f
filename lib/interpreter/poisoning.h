// What errors leave unknown in a graph: results of failed nodes, and tensors that a failed node was to change.
#pragma once

#include "lib/interpreter/frame.h"

namespace fakeprop {

// The failed node that a node depends on, or -1.
int32_t FailedDependency(const Frame& frame, int32_t index);

// The failed node that was to change the tensor, or -1.
int32_t PoisonedBy(const Frame& frame, const Tensor* tensor);

// What a failed node was to change is unknown from there on.
void Poison(Frame& frame, int32_t index);
// The same of what nodes of a subgraph were to change, because of the node that called it.
void PoisonCaller(Frame& caller, int32_t index, const Frame& subgraph);

}  // namespace fakeprop
