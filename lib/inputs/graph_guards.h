// The demands of an exported program on its inputs (Graph::guards), as conditions over their sizes.
#pragma once

#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

struct GraphGuards {
  std::vector<Sym> conditions;      // of `env`; those that hold for all sizes are left out
  std::vector<std::string> unread;  // guards that are not understood, as the file spells them
};

// `inputs`: what ResolveInputs made for the graph with this `env`. torch.export writes guards in Python: a tensor's
// size is `L['x'].size()[1]`, its stride `L['x'].stride()[0]`, its offset `L['x'].storage_offset()`, a number `L['n']`.
// Source: torch/_guards.py and torch/export/_trace.py (torch 2.13).
GraphGuards ReadGraphGuards(const Graph& graph, const std::vector<InputValue>& inputs, ShapeEnv& env);

}  // namespace fakeprop
