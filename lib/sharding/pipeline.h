// Pipeline parallel training: each rank has a range of the modules.
#pragma once

#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/sharding/sharded_step.h"

namespace fakeprop {

struct PipelineOptions {
  std::vector<std::string> starts;  // patterns: each begins a stage at the first node in a module that fits
  int64_t micro_batches = 1;        // in a step; the graph runs one of them
};

// The stages in order, as 1F1B runs them: of stage s of S, up to S - s micro-batches are forward and not yet backward.
// One stage if no module fits. docs/memory.md has the assumptions.
std::vector<ShardedStep> DivideLayers(
    const Graph& graph, const Annotations& annotations, const ShardedStep& step, const PipelineOptions& options);

}  // namespace fakeprop
