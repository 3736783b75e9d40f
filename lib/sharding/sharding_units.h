// The units of data parallel training with divided parameters: modules whose parameters are gathered as one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/memory/timeline.h"

namespace fakeprop {

// The steps from the first to the last in a pass. Empty: first > last.
struct StepRange {
  int32_t first = INT32_MAX;
  int32_t last = -1;

  bool IsEmpty() const { return last < first; }
  void Add(int32_t step) {
    first = step < first ? step : first;
    last = step > last ? step : last;
  }
};

struct ShardingUnit {
  std::string_view module;          // "layers.0"; empty for the root
  std::vector<size_t> parameters;   // blocks of the timeline
  StepRange forward, backward;      // the root has all steps
  bool has_input_gradient = false;  // autograd goes on before its first node

  bool IsRoot() const { return module.empty(); }
};

struct ShardingUnits {
  std::vector<ShardingUnit> units;  // in the order in which they run; the root, if it has parameters, is the first
  std::vector<int32_t> unit_of;     // by block: the unit of the parameter that the block is about; -1 if none
};

// Units are the outermost modules that fit a pattern and have parameters. All other parameters form the root.
ShardingUnits FindShardingUnits(const Graph& graph, const Annotations& annotations, const Timeline& timeline,
    const std::vector<std::string>& patterns);

}  // namespace fakeprop
