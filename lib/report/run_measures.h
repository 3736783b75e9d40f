// What a run costs, for the page of a report: when each block of memory is alive, and the work of each node.
#pragma once

#include "lib/cost/graph_cost.h"
#include "lib/json/json_writer.h"
#include "lib/memory/timeline.h"

namespace fakeprop {

// Counts of a run without errors. Bytes and FLOPs are numbers, or expressions over its symbols.
struct RunMeasures {
  Timeline memory;     // as `fakeprop memory` counts: FindLifetimes
  GraphCost cost;      // as `fakeprop cost` counts, with no symbol fixed
  SymbolValues point;  // a number for each symbol: its hint, or the least one if data decides it
};

// Throws an OpError of class Overflow if a number leaves 64 bits. The run must have no errors.
RunMeasures MeasureRun(const Graph& graph, const Annotations& annotations);

// Writes the members "point", "memory" and "cost" of an open object:
//
//   "point": {"s0": 2}
//   "memory": {"blocks": [[bytes, first step, last step, category, maker, device, storage]],
//              "uncounted": [step]}
//   "cost": {"nodes": [[graph, node, FLOPs, bytes read, bytes written]], "uncounted": [[graph, node, why]]}
//
// A step is a node of the outermost graph, by its index. A graph is an index among those of `annotations` that are no
// later runs.
void WriteMeasures(const RunMeasures& measures, const Graph& graph, const Annotations& annotations, JsonWriter& json);

}  // namespace fakeprop
