// Converts a method of a TorchScript module to a Graph.
#pragma once

#include "lib/graph/graph.h"
#include "lib/torchscript/script_data.h"
#include "lib/torchscript/script_graph.h"
#include "lib/torchscript/script_places.h"

namespace fakeprop {

// Fills `root`, whose source and text are already set. Constants and plain attributes become arguments of the nodes
// that use them. Blocks become subgraphs. The outside values that a block uses become placeholders of its subgraph:
//
//   prim::If(condition, true graph, false graph, captured ...)
//   prim::Loop(most trips, first condition, body graph, (carried ...), captured ...)      body: trip, carried, captured
//   prim::fork(body graph, inputs ..., captured ...)
//   prim::GetAttr(object, name), prim::SetAttr(object, value, name), prim::CreateObject(class)
//   prim::Module(class, name, value, name, value ...): a module whose attributes change, as it is at the start
//
// Throws ArchiveError if blocks are nested too deeply.
void LowerScript(ScriptGraph& script, const ScriptData& data, ScriptPlaces& places, TextArena& arena, Graph& root);

}  // namespace fakeprop
