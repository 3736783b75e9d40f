// Which modules to recompute so that a step of training fits a budget, at the least work.
#pragma once

#include <string>
#include <vector>

#include "lib/cost/graph_cost.h"
#include "lib/refine/fixed_symbols.h"
#include "lib/training/training_step.h"

namespace fakeprop {

struct CheckpointChoice {
  std::vector<std::string> modules;  // to recompute, in the order of the graph
  int64_t flops = 0;                 // that are done again
  int64_t peak = 0;                  // with these modules; the least that was seen if none fits
  bool fits = false;
  bool is_exact = true;  // false: there are too many sets to try, and modules were added by bytes saved for each FLOP
};

// The modules to choose from fit `options.checkpoint`. If there are no patterns, they are those whose name is a number,
// as in a ModuleList. Modules of the same work and the same peak are taken from the front: what is recomputed last then
// has the fewest activations beside it. Sizes are those of `point`.
CheckpointChoice ChooseCheckpoints(const Graph& graph, const Annotations& annotations, const FixedSymbols& fixed,
    TrainingOptions options, int64_t budget, const SymbolValues& point);

// The FLOPs of nodes, at `point`. Nodes whose FLOPs are not counted have none.
int64_t FlopsOf(const std::vector<const Node*>& nodes, const GraphCost& cost, const SymbolValues& point);

}  // namespace fakeprop
