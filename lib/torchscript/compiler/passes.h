// What torch does to the graph of a function after it was made from code, in this order. Each pass says which pass of
// torch it follows: what is removed, merged and moved decides the names and numbers of values.
#pragma once

#include "lib/torchscript/compiler/ir.h"
#include "lib/torchscript/compiler/op_schema.h"

namespace fakeprop::script {

// Replaces variables by values: blocks get inputs and outputs for what they change.
void ConvertToSsa(IrGraph& graph);
// Gives the results of a function to the graph, and removes what follows an exception.
void LowerReturns(IrGraph& graph);
// Replaces operators that have several names.
void NormalizeOperators(IrGraph& graph, OperatorTable& operators);
// All passes that come after.
void CleanUp(IrGraph& graph, OperatorTable& operators);

void LowerTuples(IrGraph& graph);
// Keeps all writes. Torch keeps those whose results are used, and torch.jit.save writes no others.
void RemoveDeadCode(IrGraph& graph, OperatorTable& operators);
// Computes what consists of constants. Returns whether it changed anything.
bool FoldConstants(IrGraph& graph);
void PoolConstants(IrGraph& graph);
// Orders the outputs of branches and loops by their first uses.
void OrderOutputs(IrGraph& graph);
// Simplifies a function before it is inlined. Returns whether it changed anything.
bool Simplify(IrGraph& graph, OperatorTable& operators);
bool SimplifyScalars(IrGraph& graph);

// Calls `visit` for each node of a block, and not for those of blocks within. The node may be destroyed by it.
template <typename Visit>
void ForEachNode(IrBlock& block, const Visit& visit) {
  for (IrNode* node = block.first(); node != block.results;) {
    IrNode* next = node->next;
    visit(*node);
    node = next;
  }
}

}  // namespace fakeprop::script
