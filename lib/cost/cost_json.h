// The cost of a graph as JSON (format fakeprop.cost/1; docs/cost.schema.json).
#pragma once

#include "lib/cost/graph_cost.h"
#include "lib/cost/roofline.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// Writes the members of an open object, from "flops" to "uncounted". With `device`, nodes and the total have seconds,
// at the numbers of `point`.
void WriteCostMembers(const GraphCost& cost, const DeviceRates* device, const SymbolValues& point, JsonWriter& json);

}  // namespace fakeprop
