// The calls of modules whose activations are recomputed (activation checkpointing).
#pragma once

#include <string_view>
#include <vector>

#include "lib/graph/graph.h"

namespace fakeprop {

struct CheckpointRegion {
  std::string_view module;
  std::vector<int32_t> nodes;  // in order
};

// A region for each call of a module that fits a pattern; of modules within each other the outermost.
std::vector<CheckpointRegion> FindCheckpointRegions(const Graph& graph, const std::vector<std::string>& patterns);

}  // namespace fakeprop
