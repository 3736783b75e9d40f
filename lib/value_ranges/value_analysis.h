// The pass: the ranges of all tensors of integers and bools in a run, and every use of indices. docs/value_ranges.md.
//
// It walks over the annotations after propagation, node by node, and asks the run's ShapeEnv; it learns nothing there.
#pragma once

#include <span>
#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/value_ranges/index_use.h"

namespace fakeprop {

struct GraphRanges {
  const Graph* graph = nullptr;
  const GraphAnnotations* annotations = nullptr;
  std::vector<NodeRanges> nodes;  // by node; empty where no tensor of integers or bools was returned
  std::vector<IndexUse> uses;     // in the order of their nodes
};

struct ValueAnalysis {
  std::vector<GraphRanges> graphs;  // as Annotations::graphs
};

// All arguments must outlive the result.
ValueAnalysis AnalyzeValues(const Graph& graph, const std::vector<InputValue>& inputs, const Annotations& annotations);

}  // namespace fakeprop
