// Annotations in numbers.
#pragma once

#include <cstddef>
#include <string>

#include "lib/interpreter/propagate.h"

namespace fakeprop {

struct Summary {
  size_t nodes = 0;
  size_t errors = 0;  // causes: a node that fails because its subgraph does counts once
  size_t skipped = 0;
};

// Over the graph and its subgraphs.
Summary Summarize(const Annotations& annotations);

// "2 errors in 57 nodes; 12 nodes were skipped".
std::string ToString(const Summary& summary);

// Adds to each error a note on the nodes that were skipped because of it.
void NoteSkippedNodes(Annotations& annotations);

// "1 node", "3 nodes".
std::string Counted(size_t count, std::string_view noun);

}  // namespace fakeprop
