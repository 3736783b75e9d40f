// Source: torch/csrc/jit/passes/dead_code_elimination.cpp (torch 2.15).
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "lib/torchscript/compiler/passes.h"
#include "lib/torchscript/compiler/side_effects.h"

namespace fakeprop::script {
namespace {

class DeadCode {
 public:
  DeadCode(OperatorTable& operators) : operators_(operators) {}

  void Run(IrBlock& block) {
    Mark(*block.results);
    MarkBlock(block);
    Sweep(block);
  }

 private:
  // Whether one of the overloads that take so many inputs writes to them. Of an operator's overloads, all do or none.
  bool Writes(const IrNode& node) {
    auto [it, is_new] = writes_.try_emplace(node.kind, false);
    if (!is_new) return it->second;
    if (node.kind.starts_with("prim::")) return false;
    const std::vector<OpSchema>& overloads = operators_.Find(node.kind);
    it->second = std::any_of(overloads.begin(), overloads.end(), [](const OpSchema& schema) {
      return schema.Writes() && std::none_of(schema.arguments.begin(), schema.arguments.end(),
                                    [](const OpArgument& a) { return a.is_write && a.is_keyword_only; });
    });
    return it->second;
  }

  bool HasSideEffects(const IrNode& node) {
    auto [it, is_new] = effects_.try_emplace(&node, false);
    if (!is_new) return it->second;
    bool has = Writes(node) || HasOwnSideEffects(node);
    for (const auto& inner : node.blocks)
      for (const IrNode* n = inner->first(); n != inner->results && !has; n = n->next) has = HasSideEffects(*n);
    return effects_[&node] = has;
  }

  // Returns whether it was not marked before.
  bool Mark(IrNode& node) {
    if (!marked_.insert(&node).second) return false;
    if (node.block && node.block->owner) Mark(*node.block->owner);
    live_.insert(node.inputs.begin(), node.inputs.end());
    return true;
  }

  bool MarkBlock(IrBlock& block) {
    bool is_new = false;
    for (IrNode* node = block.first(); node != block.results; node = node->next)
      if (HasSideEffects(*node)) is_new |= Mark(*node);
    is_new |= MarkResults(block);
    for (IrNode* node = block.results->previous; node != block.parameters; node = node->previous) {
      if (node->Is("prim::Loop")) {
        while (MarkBlock(*node->blocks[0])) is_new = true;
      } else {
        for (const auto& inner : node->blocks) is_new |= MarkBlock(*inner);
      }
      const bool is_live =
          std::any_of(node->outputs.begin(), node->outputs.end(), [&](IrValue* v) { return live_.contains(v); });
      if (is_live) is_new |= Mark(*node);
    }
    return is_new;
  }

  // The results of a block are used as far as what they become is.
  bool MarkResults(IrBlock& block) {
    IrNode* owner = block.owner;
    if (!owner) return Mark(*block.results);
    if (!marked_.insert(block.results).second) return false;
    const bool is_loop = owner->Is("prim::Loop");
    if (is_loop) live_.insert(block.outputs()[0]);
    for (size_t i = 0; i < owner->outputs.size(); ++i) {
      const bool is_carried = is_loop && block.inputs()[i + 1]->has_uses();
      if (is_carried || live_.contains(owner->outputs[i])) live_.insert(block.outputs()[i + (is_loop ? 1 : 0)]);
    }
    return true;
  }

  static void RemoveDeadOutputs(IrNode& node) {
    const bool is_loop = node.Is("prim::Loop");
    if (!is_loop && !node.Is("prim::If")) return;
    for (size_t i = node.outputs.size(); i-- > 0;) {
      if (node.outputs[i]->has_uses()) continue;
      if (is_loop && node.blocks[0]->inputs()[i + 1]->has_uses()) continue;
      node.EraseOutput(i);
      if (is_loop) {
        node.RemoveInput(i + 2);
        node.blocks[0]->parameters->EraseOutput(i + 1);
      }
      for (const auto& inner : node.blocks) inner->results->RemoveInput(i + (is_loop ? 1 : 0));
    }
  }

  void Sweep(IrBlock& block) {
    for (IrNode* node = block.results->previous; node != block.parameters;) {
      IrNode* previous = node->previous;
      RemoveDeadOutputs(*node);
      for (const auto& inner : node->blocks) Sweep(*inner);
      const bool is_used =
          std::any_of(node->outputs.begin(), node->outputs.end(), [](IrValue* v) { return v->has_uses(); });
      if (!marked_.contains(node) && !is_used) node->Destroy();
      node = previous;
    }
  }

  OperatorTable& operators_;
  std::unordered_map<std::string_view, bool> writes_;
  std::unordered_map<const IrNode*, bool> effects_;
  std::unordered_set<const IrNode*> marked_;
  std::unordered_set<const IrValue*> live_;
};

}  // namespace

void RemoveDeadCode(IrGraph& graph, OperatorTable& operators) { DeadCode(operators).Run(*graph.block()); }

}  // namespace fakeprop::script
