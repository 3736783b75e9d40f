// A method of a TorchScript module as a graph of the common IR.
#pragma once

#include "lib/graph/graph.h"
#include "lib/torchscript/script_data.h"
#include "lib/torchscript/script_graph.h"
#include "lib/torchscript/script_places.h"

namespace fakeprop {

// Fills `root`, whose source and text are set. Constants and attributes that are plain values stand in the arguments
// that use them; blocks are subgraphs, whose nodes take what they use of the outside as placeholders:
//
//   prim::If(condition, true graph, false graph, captured ...)
//   prim::Loop(most trips, first condition, body graph, (carried ...), captured ...)      body: trip, carried, captured
//   prim::fork(body graph, inputs ..., captured ...)
//   prim::GetAttr(object, name), prim::SetAttr(object, value, name), prim::CreateObject(class)
//   prim::Module(class, name, value, name, value ...): a module whose attributes change, as it is at the start
//
// Throws ArchiveError where blocks are nested too deeply.
void LowerScript(ScriptGraph& script, const ScriptData& data, ScriptPlaces& places, TextArena& arena, Graph& root);

}  // namespace fakeprop
