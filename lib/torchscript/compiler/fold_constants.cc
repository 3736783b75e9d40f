// Source: torch/csrc/jit/passes/constant_propagation.cpp (torch 2.15), for values that never change.
#include <algorithm>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/fold_operator.h"
#include "lib/torchscript/compiler/passes.h"
#include "lib/torchscript/compiler/same_value.h"
#include "lib/torchscript/compiler/side_effects.h"

namespace fakeprop::script {
namespace {

constexpr std::string_view kNeverFolded[] = {
    "prim::If", "prim::Loop", "prim::Constant", "prim::Uninitialized", "prim::unchecked_unwrap_optional"};

bool AllConstant(const IrNode& node) {
  return std::all_of(
      node.inputs.begin(), node.inputs.end(), [](const IrValue* v) { return v->node->Is("prim::Constant"); });
}

bool IsFoldable(const IrNode& node) {
  const auto changes = [](const IrValue* value) { return IsMutable(value->type); };
  return std::none_of(node.inputs.begin(), node.inputs.end(), changes) &&
         std::none_of(node.outputs.begin(), node.outputs.end(), changes) && node.blocks.empty() &&
         !HasOwnSideEffects(node) &&
         std::find(std::begin(kNeverFolded), std::end(kNeverFolded), node.kind) == std::end(kNeverFolded);
}

class Folding {
 public:
  explicit Folding(IrGraph& graph) : graph_(graph) {}

  bool Run() {
    FoldBlock(*graph_.block());
    return changed_;
  }

 private:
  void FoldBlock(IrBlock& block) {
    ForEachNode(block, [this](IrNode& node) { FoldNode(node); });
  }

  void FoldNode(IrNode& node) {
    if (node.Is("prim::If")) return FoldIf(node);
    if (node.Is("prim::Loop")) return FoldLoop(node);
    if (AllConstant(node) && IsFoldable(node)) return Compute(node);
    for (const auto& inner : node.blocks) FoldBlock(*inner);
  }

  void Compute(IrNode& node) {
    std::vector<Value> inputs;
    for (const IrValue* input : node.inputs) {
      if (!IsPlainConstant(*input)) return;
      inputs.push_back(input->node->constant.value);
    }
    const auto results = FoldOperator(node, inputs);
    if (!results) return;
    const InsertingAt inserting(&node);
    for (size_t i = 0; i < results->size(); ++i) {
      IrValue& output = *node.outputs[i];
      TypeRef type = TypeOfConstant((*results)[i], graph_.types());
      if (!type || (*results)[i].IsNone() || output.type->IsTuple()) type = output.type;
      changed_ = true;
      ReplaceUses(output, graph_.InsertConstant((*results)[i], type));
    }
  }

  void FoldIf(IrNode& node) {
    if (!node.input()->node->Is("prim::Constant")) {
      for (const auto& inner : node.blocks) FoldBlock(*inner);
      return RemoveSameOutputs(node);
    }
    IrBlock& taken = *node.blocks[node.input()->node->constant.value.Get<bool>() ? 0 : 1];
    FoldBlock(taken);
    ForEachNode(taken, [&](IrNode& inner) { inner.MoveBefore(&node); });
    for (size_t i = 0; i < node.outputs.size(); ++i) ReplaceUses(*node.outputs[i], taken.outputs()[i]);
    node.Destroy();
    changed_ = true;
  }

  void RemoveSameOutputs(IrNode& node) {
    const InsertingAt inserting(&node);
    for (size_t i = 0; i < node.outputs.size();) {
      IrValue* if_true = node.blocks[0]->outputs()[i];
      IrValue* if_false = node.blocks[1]->outputs()[i];
      if (if_true != if_false) {
        if (!IsPlainConstant(*if_true) || !IsPlainConstant(*if_false) || if_true->type != if_false->type ||
            !IsSameValue(if_true->node->constant.value, if_false->node->constant.value)) {
          ++i;
          continue;
        }
        const Value value = if_true->node->constant.value;
        const TypeRef type = TypeOfConstant(value, graph_.types());
        if_true = graph_.InsertConstant(value, type ? type : if_true->type);
      }
      ReplaceUses(*node.outputs[i], if_true);
      node.EraseOutput(i);
      for (const auto& inner : node.blocks) inner->results->RemoveInput(i);
      changed_ = true;
    }
  }

  void FoldLoop(IrNode& node) {
    const auto known = [](const IrValue& value) {
      return IsPlainConstant(value) ? &value.node->constant.value : nullptr;
    };
    const Value* count = known(*node.inputs[0]);
    const Value* condition = known(*node.inputs[1]);
    if ((count && count->Get<Dim>().Specialize() <= 0) || (condition && !condition->Get<bool>())) {
      for (size_t i = 0; i < node.outputs.size(); ++i) ReplaceUses(*node.outputs[i], node.inputs[i + 2]);
      node.Destroy();
      changed_ = true;
      return;
    }
    IrBlock& body = *node.blocks[0];
    FoldBlock(body);
    for (size_t i = node.outputs.size(); i-- > 0;) {
      if (body.inputs()[i + 1] != body.outputs()[i + 1]) continue;
      IrValue* before = node.inputs[i + 2];
      ReplaceUses(*node.outputs[i], before);
      ReplaceUses(*body.inputs()[i + 1], before);
      node.EraseOutput(i);
      node.RemoveInput(i + 2);
      body.results->RemoveInput(i + 1);
      body.parameters->EraseOutput(i + 1);
      changed_ = true;
    }
  }

  IrGraph& graph_;
  bool changed_ = false;
};

}  // namespace

bool FoldConstants(IrGraph& graph) { return Folding(graph).Run(); }

}  // namespace fakeprop::script
