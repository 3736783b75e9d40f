// The values of the sizes that a graph writes as arguments (InlineSize in lib/graph/graph.h), in one run.
#pragma once

#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/symbolic/build.h"

namespace fakeprop {

class InlineSizes {
 public:
  // If an input was recorded with a symbol, the symbol stands for the size that the input now has there: a number or a
  // symbol of the run, whose name can differ. Any other symbol is the run's symbol of that name.
  InlineSizes(const Graph& graph, const std::vector<InputValue>& inputs, ShapeEnv& env);

  // Throws an OpError of class ValueError if a symbol is unknown, or if the spelling is not an integer expression.
  Dim Of(std::string_view spelling) const;

 private:
  void Bind(const RecordedSize& recorded, Dim is);

  ShapeEnv& env_;
  Renamed symbols_;
};

}  // namespace fakeprop
