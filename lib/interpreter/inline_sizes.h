// Sizes that a graph spells among its arguments (InlineSize in lib/graph/graph.h), as one run has them.
#pragma once

#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/symbolic/build.h"

namespace fakeprop {

class InlineSizes {
 public:
  // A symbol that an input was recorded with is what that input has in its place: a number, or a symbol of the run
  // under whatever name. Others are the run's own of that name.
  InlineSizes(const Graph& graph, const std::vector<InputValue>& inputs, ShapeEnv& env);

  // Throws OpError of class ValueError where a symbol is nowhere, or the spelling is no integer.
  Dim Of(std::string_view spelling) const;

 private:
  void Bind(const RecordedSize& recorded, Dim is);

  ShapeEnv& env_;
  Renamed symbols_;
};

}  // namespace fakeprop
