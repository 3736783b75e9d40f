// Random small graphs of operators on integers, for tests of soundness.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/inputs/inputs.h"

namespace fakeprop::testing {

struct RandomGraph {
  std::string text;                 // as lib/interpreter/testing/written_graph.h reads it; a size of 77 is a symbol
  int64_t size = 0;                 // the symbol's value
  std::vector<ValueBounds> values;  // of the inputs, in order
};

// The same seed gives the same graph. Calls may be wrong: propagation refuses these.
RandomGraph MakeRandomGraph(uint64_t seed);

}  // namespace fakeprop::testing
