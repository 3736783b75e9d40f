// The symbols that FX JSON records for the sizes of its inputs: "symbols": {"s0": {"min": 2, "max": 64, "hint": 4}}.
#pragma once

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// Gives the graph the ranges of its symbols, and the hints to the sizes of its inputs that are expressions over them.
// Throws JsonError.
void ReadFxSymbols(JsonValue json, Graph& graph);

}  // namespace fakeprop
