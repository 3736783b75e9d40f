// The cost of a graph, for people.
#pragma once

#include <string>

#include "lib/cost/graph_cost.h"
#include "lib/diag/color.h"
#include "tools/cli/cost_options.h"

namespace fakeprop::cli {

struct CostTextOptions {
  CostOptions cost;
  size_t width = 0;  // columns of the terminal, 0 for no limit
  Paint paint;
};

// The total, a table of the rows with the most work, and what is not counted.
std::string CostText(const GraphCost& cost, const SymbolValues& point, const CostTextOptions& options);

// "1.2 TFLOP", "37 FLOP".
std::string FlopsText(double flops);

// The number where symbols have these values.
double NumberAt(Dim dim, const SymbolValues& point);

}  // namespace fakeprop::cli
