// The findings of lint.
#pragma once

#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"

namespace fakeprop {

// A field of a value that is not as expected. Both sides are text: "[2, 3]", "float32".
struct FieldDifference {
  std::string field;  // "shape", "stride", "storage_offset", "dtype", "device", "layout", "requires_grad", "value" ...
  std::string expected;
  std::string found;
};

// One difference or error, with the differences that only follow from it.
struct Finding {
  Diagnostic diagnostic;
  std::string subgraph;                 // "true_graph_0"; empty for the outermost graph
  std::vector<FieldDifference> fields;  // of a value that differs
  // Other nodes that the finding covers: those whose difference follows from this one, or the other nodes that are new
  // or gone.
  std::vector<std::string> also_differ;
};

}  // namespace fakeprop
