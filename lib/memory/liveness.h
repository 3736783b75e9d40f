// When the storages of a graph are alive, as torch.fx.Interpreter runs it.
//
// A value is alive from its node to the last node that uses it; one that nothing uses dies with its node. A storage
// lives as long as any value on it. Storages of placeholders and of the module's attributes are held all the time.
// Source: torch/fx/interpreter.py (torch 2.13), with garbage_collect_values.
#pragma once

#include "lib/interpreter/annotations.h"
#include "lib/memory/timeline.h"

namespace fakeprop {

class FixedSymbols;

// When values are dropped.
enum class FreeWhen {
  kAfterLastUse,
  kAtEndOfScope,  // when the module call that made it has ended, as local variables of Python; not before the last use
  kNever,
};

// The storages of the outermost graph, each once. Equalities that the run found are applied to their bytes. Of a
// subgraph, only the results of its call are counted, and nothing that it holds while it runs. The run must have no
// errors.
Timeline FindLifetimes(const Graph& graph, const Annotations& annotations, FreeWhen free = FreeWhen::kAfterLastUse);

// For each node, the index of the last node that uses its result; its own index if none does.
std::vector<int32_t> LastUses(const Graph& graph);

// The nodes that run subgraphs. The timeline has only their results, not the memory that the subgraphs hold.
std::vector<const Node*> CallsOfSubgraphs(const Graph& graph, const Annotations& annotations);

// The number after the equalities that the run found are applied to it.
Dim WithEqualities(Dim dim);

// Puts the numbers of symbols into the bytes of all blocks.
void PutNumbers(const FixedSymbols& fixed, Timeline& timeline);

}  // namespace fakeprop
