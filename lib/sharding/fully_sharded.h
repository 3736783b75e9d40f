// Data parallel training with divided states: ZeRO's stages, FSDP.
#pragma once

#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/sharding/sharded_step.h"

namespace fakeprop {

struct FullyShardedOptions {
  int64_t ranks = 1;
  int stage = 3;                   // 1: optimiser states are divided, 2: gradients too, 3: parameters too
  std::vector<std::string> units;  // patterns of modules that are gathered as one; empty: those whose name is a number
};

// Every rank runs the graph on a batch of its own. The timeline is that of a step of training from a forward graph.
// docs/memory.md has the assumptions.
ShardedStep DivideStates(
    const Graph& graph, const Annotations& annotations, ShardedStep step, const FullyShardedOptions& options);

}  // namespace fakeprop
