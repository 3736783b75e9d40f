// Counts nodes, errors and skipped nodes.
#pragma once

#include <cstddef>
#include <string>

#include "lib/interpreter/annotations.h"

namespace fakeprop {

struct Summary {
  size_t nodes = 0;
  size_t errors = 0;  // a node that fails only because its subgraph does is not counted again
  size_t skipped = 0;
};

// Counts those of the graph and of its subgraphs.
Summary Summarize(const Annotations& annotations);

// "2 errors in 57 nodes; 12 nodes were skipped".
std::string ToString(const Summary& summary);

// "1 node", "3 nodes".
std::string Counted(size_t count, std::string_view noun);

}  // namespace fakeprop
