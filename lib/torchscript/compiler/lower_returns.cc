// Source: torch/csrc/jit/frontend/exit_transforms.cpp (torch 2.15), as far as code needs it that has one return, at its
// end.
#include <map>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {
namespace {

// Stands where a value would be computed if no exception came before.
class Placeholders {
 public:
  explicit Placeholders(IrGraph& graph) : graph_(graph) {}

  IrValue* Of(TypeRef type) {
    IrValue*& value = values_[type];
    // Torch has one for each object of a type; which types are one object is known of simple types alone.
    if (value && !type->of.empty()) Decline("several values that an exception skips");
    if (!value) {
      IrNode* node = graph_.Create("prim::Uninitialized", {}, {type});
      node->InsertAfter(graph_.block()->parameters);
      value = node->output();
    }
    return value;
  }

 private:
  IrGraph& graph_;
  std::map<TypeRef, IrValue*> values_;
};

class ReturnLowering {
 public:
  explicit ReturnLowering(IrGraph& graph) : graph_(graph), placeholders_(graph) {}

  void Run() {
    RemoveAfterExceptions(*graph_.block());
    IrNode* results = graph_.block()->results;
    IrNode* last = results->previous->Is("prim::Uninitialized") ? results->previous->previous : nullptr;
    if (!last || !last->Is("prim::ReturnStmt")) return;
    results->ReplaceInput(0, last->input());
    results->previous->Destroy();
    last->Destroy();
  }

 private:
  // Returns whether the block always raises an exception.
  bool RemoveAfterExceptions(IrBlock& block) {
    for (IrNode* node = block.first(); node != block.results; node = node->next) {
      bool raises = node->Is("prim::RaiseException");
      if (node->Is("prim::If")) {
        const bool if_true = RemoveAfterExceptions(*node->blocks[0]);
        const bool if_false = RemoveAfterExceptions(*node->blocks[1]);
        raises = if_true && if_false;
      } else if (node->Is("prim::Loop")) {
        RemoveAfterExceptions(*node->blocks[0]);
      }
      if (!raises) continue;
      RemoveAfter(*node, block);
      return true;
    }
    return false;
  }

  void RemoveAfter(const IrNode& node, IrBlock& block) {
    while (block.results->previous != &node) {
      IrNode* last = block.results->previous;
      if (last->Is("prim::Exit")) Decline("an exception within a `with`");
      for (IrValue* output : last->outputs)
        if (output->has_uses()) ReplaceUses(*output, placeholders_.Of(output->type));
      last->Destroy();
    }
  }

  IrGraph& graph_;
  Placeholders placeholders_;
};

}  // namespace

void LowerReturns(IrGraph& graph) { ReturnLowering(graph).Run(); }

}  // namespace fakeprop::script
