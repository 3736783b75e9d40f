// Source: torch/csrc/jit/passes/peephole_non_tensor.cpp (torch 2.15).
#include <algorithm>

#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {
namespace {

const bool* ConstantBool(const IrValue& value) {
  return IsPlainConstant(value) ? value.node->constant.value.TryGet<bool>() : nullptr;
}

std::optional<int64_t> ConstantInt(const IrValue& value) {
  const Dim* number = IsPlainConstant(value) ? value.node->constant.value.TryGet<Dim>() : nullptr;
  return number ? number->TryNumber() : std::nullopt;
}

// Of the arithmetic of two ints, the second, if it is a constant. Puts a constant behind the other operand.
std::optional<int64_t> ConstantOperand(IrNode& node) {
  if (node.inputs.size() != 2 || !node.inputs[0]->type->Is(TypeCase::kInt) || !node.inputs[1]->type->Is(TypeCase::kInt))
    return std::nullopt;
  if (node.Is("aten::mul") || node.Is("aten::add")) {
    if (const auto first = ConstantInt(*node.inputs[0])) {
      PermuteInputs(node, {1, 0});
      return first;
    }
  }
  return ConstantInt(*node.inputs[1]);
}

bool IsImmutableBasic(TypeRef type) {
  return type->Is(TypeCase::kBool) || type->Is(TypeCase::kInt) || type->Is(TypeCase::kFloat) ||
         type->Is(TypeCase::kNone);
}

class Scalars {
 public:
  explicit Scalars(IrGraph& graph) : graph_(graph) {}

  bool Run() {
    Visit(*graph_.block());
    return changed_;
  }

 private:
  // Not by ForEachNode: torch visits what it inserts before a node no more, and so does this.
  void Visit(IrBlock& block) {
    for (IrNode* node = block.first(); node != block.results; node = node->next) {
      for (const auto& inner : node->blocks) Visit(*inner);
      if (!node->Is("prim::Constant")) ReplaceNones(*node);
      VisitNode(*node);
    }
  }

  void VisitNode(IrNode& node) {
    if (node.Is("prim::If")) VisitIf(node);
    else if (node.Is("aten::__is__") || node.Is("aten::__isnot__")) VisitIs(node);
    else if (node.Is("prim::unchecked_unwrap_optional") || node.Is("aten::_unwrap_optional"))
      Forward(node, MustNotBeNone(*node.input()));
    else if (node.Is("prim::unchecked_cast")) Forward(node, IsSubtype(node.input()->type, node.output()->type));
    else if ((node.Is("aten::Int") || node.Is("aten::ceil")) && node.inputs.size() == 1)
      Forward(node, node.input()->type->Is(TypeCase::kInt));
    else if (node.Is("aten::ne") || node.Is("aten::eq")) VisitEquality(node);
    else if (node.Is("aten::mul") || node.Is("aten::floordiv") || node.Is("aten::div"))
      Forward(node, ConstantOperand(node) == 1);
    else if (node.Is("aten::add") || node.Is("aten::sub")) VisitSum(node);
  }

  // Replaces the result by the first input.
  void Forward(IrNode& node, bool if_this) {
    if (!if_this) return;
    ReplaceUses(*node.output(), node.inputs[0]);
    changed_ = true;
  }

  void ReplaceBy(IrNode& node, bool value) {
    const InsertingAt inserting(&node);
    ReplaceUses(*node.output(), graph_.InsertConstant(value, graph_.types().Basic(TypeCase::kBool)));
    changed_ = true;
  }

  void ReplaceNones(IrNode& node) {
    for (IrValue* output : node.outputs) {
      if (!output->type->Is(TypeCase::kNone)) continue;
      const InsertingAt inserting(&node);
      ReplaceUses(*output, graph_.InsertConstant({}, output->type));
      changed_ = true;
    }
  }

  void VisitIf(IrNode& node) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      IrValue& output = *node.outputs[i];
      const IrValue& if_true = *node.blocks[0]->outputs()[i];
      const IrValue& if_false = *node.blocks[1]->outputs()[i];
      const bool* known_true = ConstantBool(if_true);
      const bool* known_false = ConstantBool(if_false);
      if (output.type->Is(TypeCase::kBool) && known_true && *known_true && known_false && !*known_false) {
        ReplaceUses(output, node.input());
        changed_ = true;
      }
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TypeRef if_true = node.blocks[0]->outputs()[i]->type, if_false = node.blocks[1]->outputs()[i]->type;
      if (if_true->Is(TypeCase::kOptional) || if_false->Is(TypeCase::kOptional)) continue;
      if (!node.outputs[i]->type->Is(TypeCase::kOptional)) continue;
      if (const TypeRef unified = Unify(if_true, if_false, graph_.types())) {
        node.outputs[i]->type = unified;
        changed_ = true;
      }
    }
  }

  void VisitIs(IrNode& node) {
    for (size_t i : {size_t{0}, size_t{1}})
      if (MustBeNone(*node.inputs[i]) && MustNotBeNone(*node.inputs[1 - i]))
        ReplaceBy(node, node.Is("aten::__isnot__"));
  }

  void VisitEquality(IrNode& node) {
    if (node.inputs.size() != 2 || node.inputs[0] != node.inputs[1]) return;
    const TypeRef type = node.inputs[0]->type;
    const bool is_container = type->Is(TypeCase::kList) || type->Is(TypeCase::kDict);
    const bool never_fails =
        is_container ? std::all_of(type->of.begin(), type->of.end(), IsImmutableBasic) : IsImmutableBasic(type);
    if (never_fails) ReplaceBy(node, node.Is("aten::eq"));
  }

  // Adds the constants of two sums, one of which is an operand of the other.
  void VisitSum(IrNode& node) {
    const auto constant = ConstantOperand(node);
    if (!constant) return;
    if (*constant == 0) return Forward(node, true);
    IrNode& operand = *node.inputs[0]->node;
    if (!operand.Is("aten::add") && !operand.Is("aten::sub")) return;
    const auto other = ConstantOperand(operand);
    if (!other) return;
    const int64_t sum = operand.kind == node.kind ? *constant + *other : *constant - *other;
    changed_ = true;
    if (sum == 0) return ReplaceUses(*node.output(), operand.inputs[0]);
    const InsertingAt inserting(&node);
    node.ReplaceInput(0, operand.inputs[0]);
    node.ReplaceInput(1, graph_.InsertConstant(sum, graph_.types().Basic(TypeCase::kInt)));
  }

  IrGraph& graph_;
  bool changed_ = false;
};

}  // namespace

bool SimplifyScalars(IrGraph& graph) { return Scalars(graph).Run(); }

}  // namespace fakeprop::script
