#include "lib/interpreter/subgraph_runs.h"

#include "lib/higher_order/invoke_subgraph.h"

namespace fakeprop {

bool SubgraphRuns::Keep(
    const Graph& graph, std::span<const Value> arguments, const ExecutionState& state, bool below_autograd) {
  std::set<std::string>& kept = kept_[&graph];
  // A loop body of TorchScript runs for each iteration, each time with another number.
  if (graph.kind == kTorchScriptKind) return kept.insert(std::string()).second;
  return kept.insert(Fingerprint(arguments, state, below_autograd, Seen::kMetadata)).second;
}

// Graphs that call each other several times, over many levels, would run too long.
void SubgraphRuns::CountRepeated(const Graph& graph) {
  constexpr size_t kMost = 1'000'000;
  repeated_nodes_ += graph.nodes.size();
  if (repeated_nodes_ > kMost)
    Fail(ErrorClass::kOverflow,
        "subgraphs run again and again: more than " + std::to_string(kMost) + " nodes in repeated runs");
}

}  // namespace fakeprop
