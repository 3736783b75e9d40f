// Decides which runs of subgraphs are written down, limits their number, and stores the memory of higher-order
// operators.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "lib/graph/graph.h"
#include "lib/rules/core/call.h"

namespace fakeprop {

class SubgraphRuns {
 public:
  bool HasRun(const Graph& graph) const { return kept_.contains(&graph); }
  // Notes a run. Returns true if it is to be written down: the first run, and every run on arguments with other
  // metadata.
  bool Keep(const Graph& graph, std::span<const Value> arguments, const ExecutionState& state, bool below_autograd);
  // Throws OpError if repeated runs have too many nodes.
  void CountRepeated(const Graph& graph);
  // Storage in which an operator can remember something about a subgraph from one call to the next.
  std::shared_ptr<void>& MemoryOf(const Graph& graph) { return memories_[&graph]; }

 private:
  std::map<const Graph*, std::set<std::string>> kept_;  // fingerprints of arguments
  size_t repeated_nodes_ = 0;
  std::map<const Graph*, std::shared_ptr<void>> memories_;
};

}  // namespace fakeprop
