// Value ranges of graphs that tests write down.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lib/interpreter/testing/written_graph.h"
#include "lib/value_ranges/value_analysis.h"

namespace fakeprop::testing {

// A run of a written graph. A size of 77 is the symbol `t`, of 55 the symbol `n`. `values` are those of the inputs.
struct AnalyzedGraph {
  explicit AnalyzedGraph(std::string_view text, const std::vector<ValueBounds>& values = {});

  const GraphRanges& ranges() const { return analysis.graphs.front(); }

  WrittenGraph written;
  std::shared_ptr<ShapeEnv> env;
  Annotations annotations;
  ValueAnalysis analysis;
};

}  // namespace fakeprop::testing
