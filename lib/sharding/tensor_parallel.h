// Tensor parallel training: modules whose weights are divided between ranks.
#pragma once

#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/sharding/sharded_step.h"

namespace fakeprop {

struct TensorParallelOptions {
  int64_t ranks = 1;
  // Patterns of modules. A column module divides its outputs, a row module its inputs. What lies between them is
  // divided.
  std::vector<std::string> column, row;
  std::vector<std::string> sequence;  // modules that run on a part of the sequence, such as norms
};

// The timeline is that of a step of training, or of a run of the graph. docs/memory.md has the assumptions.
ShardedStep DivideTensors(
    const Graph& graph, const Annotations& annotations, ShardedStep step, const TensorParallelOptions& options);

}  // namespace fakeprop
