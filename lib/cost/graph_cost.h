// What running a graph costs: floating-point operations, and bytes read and written, by node, module and operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/refine/fixed_symbols.h"

namespace fakeprop {

struct Cost {
  Dim flops = 0;
  Dim bytes_read = 0;
  Dim bytes_written = 0;

  Cost& operator+=(const Cost& other);
};

// A node that does something: a call of an operator, in the graph or in a subgraph that it runs once.
struct NodeCost {
  const Node* node = nullptr;
  std::string subgraph;                  // empty for the outermost graph
  std::string op;                        // "aten.mm"
  std::string module;                    // "encoder.layers.0.fc1"
  ScalarType dtype = ScalarType::Float;  // of the first floating-point operand: the units that compute it
  Cost cost;                             // bytes of an uncounted node are counted all the same
  bool is_counted = true;                // false: there is no formula for its FLOPs
  bool in_flop_counter = false;          // torch.utils.flop_counter counts it too
  std::string why;                       // of an uncounted node
};

// A module or an operator with the sum over its nodes; that of a module has those of the modules in it.
struct CostGroup {
  std::string name;
  size_t nodes = 0;
  Cost cost;
};

struct GraphCost {
  std::vector<NodeCost> nodes;  // in the order of the graph; views and other nodes without any work are not here
  Cost total;
  std::vector<CostGroup> modules;    // sorted by name
  std::vector<CostGroup> operators;  // sorted by name
  std::vector<const NodeCost*> Uncounted() const;
};

// Counts over the outermost graph and the subgraphs that it runs exactly once (regions such as wrap_with_autocast). Of
// a condition the branch with more work counts, at the hints. Loops are uncounted: how often they run depends on data.
// Numbers of `fixed` are put in. Throws an OpError of class Overflow if a number leaves 64 bits. The run must have no
// errors.
GraphCost CountCost(const Graph& graph, const Annotations& annotations, const FixedSymbols& fixed);

}  // namespace fakeprop
