// The pass: the ranges of all tensors of integers and bools in a run, and every use of indices. docs/value_ranges.md.
//
// It goes over the annotations node by node, and asks the run's ShapeEnv; it learns nothing there.
#pragma once

#include <functional>
#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/value_ranges/index_use.h"

namespace fakeprop {

struct GraphRanges {
  const Graph* root = nullptr;  // the outermost graph, whose inputs ranges name
  const Graph* graph = nullptr;
  const GraphAnnotations* annotations = nullptr;
  bool is_certain = true;         // the outermost graph, or one that a node of it runs exactly once
  std::vector<NodeRanges> nodes;  // by node; empty where no tensor of integers or bools was returned
  std::vector<IndexUse> uses;     // in the order of their nodes
};

struct ValueAnalysis {
  std::vector<GraphRanges> graphs;  // as Annotations::graphs
};

// The ranges of one of the annotated graphs; null if it was not analysed.
const GraphRanges* FindRanges(const ValueAnalysis& analysis, const GraphAnnotations& graph);

// All arguments must outlive the result. What Python functions return is known if the run kept the operators that they
// call (RunOptions::keeps_calls).
ValueAnalysis AnalyzeValues(const Graph& graph, const std::vector<InputValue>& inputs, const Annotations& annotations);

// For RunOptions::on_unbacked: teaches the run's ShapeEnv where numbers from data lie, and sizes that depend on data.
// The arguments must outlive the run.
std::function<void(const Annotations&)> TeachNumbersFromData(const Graph& graph, const std::vector<InputValue>& inputs);

}  // namespace fakeprop
