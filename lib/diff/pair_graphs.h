// Finds which graphs and nodes of two runs correspond.
#pragma once

#include <vector>

#include "lib/diff/align_nodes.h"
#include "lib/diff/diff_side.h"

namespace fakeprop {

struct GraphPair {
  const DiffGraph* from;
  const DiffGraph* to;
  std::vector<int32_t> to_of;  // for each node of `from` the node of `to` that it became, or kNoNode
};

struct GraphPairs {
  std::vector<GraphPair> pairs;  // the outermost graphs first
  std::vector<const DiffGraph*> only_from, only_to;
};

// Subgraphs correspond if nodes that do have them as values, or by name.
GraphPairs PairGraphs(const DiffSide& from, const DiffSide& to);

}  // namespace fakeprop
