// Source: torch/csrc/jit/passes/peephole.cpp, peephole_list_idioms.cpp, peephole_dict_idioms.cpp,
// peephole_alias_sensitive.cpp and concat_opt.cpp (torch 2.15), as they simplify a function before it is inlined.
#include <algorithm>

#include "lib/torchscript/compiler/changes.h"
#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {
namespace {

template <typename Visit>
void ForAllNodes(IrBlock& block, const Visit& visit) {
  ForEachNode(block, [&](IrNode& node) {
    for (const auto& inner : node.blocks) ForAllNodes(*inner, visit);
    visit(node);
  });
}

bool IsNumberOf(const IrNode& node) {
  for (std::string_view kind :
      {"aten::Float", "aten::Int", "aten::FloatImplicit", "aten::IntImplicit", "aten::ScalarImplicit"})
    if (node.kind == kind) return true;
  return false;
}

// A number that was made a tensor, and a number again.
bool SimplifyNumbers(IrBlock& block) {
  bool changed = false;
  ForAllNodes(block, [&](IrNode& node) {
    if (node.Is("aten::t") && node.input()->node->Is("aten::t")) Decline("a matrix that is transposed twice", node.place);
    if (node.inputs.empty() || !IsNumberOf(node) || !node.input()->node->Is("prim::NumToTensor")) return;
    ReplaceUses(*node.output(), node.input()->node->input());
    changed = true;
  });
  return changed;
}

std::optional<int64_t> ConstantInt(const IrValue& value) {
  if (!IsPlainConstant(value) || !value.node->constant.value.Is<Dim>()) return std::nullopt;
  return value.node->constant.value.Get<Dim>().Specialize();
}

void ReplaceByConstant(IrNode& node, int64_t number) {
  const InsertingAt inserting(&node);
  IrGraph& graph = *node.graph;
  ReplaceUses(*node.output(), graph.InsertConstant(number, graph.types().Basic(TypeCase::kInt)));
}

// Reads of a list that nobody changes.
bool SimplifyList(IrNode& node) {
  const IrNode& list = *node.input()->node;
  const int64_t size = static_cast<int64_t>(list.inputs.size());
  if (node.Is("aten::len")) {
    ReplaceByConstant(node, size);
    return true;
  }
  if (node.Is("aten::__getitem__")) {
    auto index = ConstantInt(*node.inputs[1]);
    if (index && *index < 0) *index += size;
    if (!index || *index < 0 || *index >= size) return false;
    ReplaceUses(*node.output(), list.inputs[static_cast<size_t>(*index)]);
    return true;
  }
  if (node.Is("prim::ListUnpack") && node.outputs.size() == list.inputs.size()) {
    for (size_t i = 0; i < node.outputs.size(); ++i) ReplaceUses(*node.outputs[i], list.inputs[i]);
    return true;
  }
  if (node.Is("aten::slice")) Decline("a slice of a list that a function makes", node.place);
  return false;
}

bool AddLists(IrNode& node, const Changes& changes) {
  if (!node.inputs[1]->node->Is("prim::ListConstruct") || changes.MayChange(*node.inputs[1])) return false;
  IrValues items = node.inputs[0]->node->inputs;
  items.insert(items.end(), node.inputs[1]->node->inputs.begin(), node.inputs[1]->node->inputs.end());
  const InsertingAt inserting(&node);
  ReplaceUses(*node.output(), node.graph->InsertOp("prim::ListConstruct", items, node.output()->type));
  return true;
}

bool SimplifyLists(IrBlock& block, const Changes& changes) {
  bool changed = false;
  ForAllNodes(block, [&](IrNode& node) {
    if (node.inputs.empty() || !node.input()->type->Is(TypeCase::kList)) return;
    if (!node.input()->node->Is("prim::ListConstruct") || changes.MayChange(*node.input())) return;
    if (node.Is("aten::add") && node.inputs.size() == 2) changed |= AddLists(node, changes);
    else changed |= SimplifyList(node);
  });
  return changed;
}

void RefuseDicts(IrBlock& block, const Changes& changes) {
  ForAllNodes(block, [&](IrNode& node) {
    if (node.inputs.empty() || !node.input()->node->Is("prim::DictConstruct")) return;
    const bool is_read = node.Is("aten::len") || node.Is("aten::__getitem__");
    if (is_read && !changes.MayChange(*node.input())) Decline("a read of a dict that a function makes", node.place);
  });
}

// The number of dimensions of what a convolution gives.
bool SimplifyConvolutions(IrBlock& block, const Changes& changes) {
  bool changed = false;
  ForAllNodes(block, [&](IrNode& node) {
    if (!node.Is("aten::conv1d") && !node.Is("aten::conv2d") && !node.Is("aten::conv3d")) return;
    const std::vector<IrUse> uses = node.output()->uses;
    for (const IrUse& use : uses) {
      if (!use.user->Is("aten::dim")) continue;
      if (changes.MayChange(*node.output())) Decline("the rank of a result that is written to", use.user->place);
      ReplaceByConstant(*use.user, node.Is("aten::conv1d") ? 3 : node.Is("aten::conv2d") ? 4 : 5);
      changed = true;
    }
  });
  return changed;
}

void RefuseConcatenations(IrBlock& block) {
  ForAllNodes(block, [](IrNode& node) {
    if (!node.Is("aten::cat") || !node.input()->node->Is("prim::ListConstruct")) return;
    for (const IrValue* part : node.input()->node->inputs)
      if (part->node->Is("aten::cat")) Decline("a concatenation of concatenations", node.place);
  });
}

}  // namespace

bool Simplify(IrGraph& graph, OperatorTable& operators) {
  IrBlock& block = *graph.block();
  bool changed = SimplifyNumbers(block);
  changed |= SimplifyLists(block, Changes(graph, operators));
  RefuseDicts(block, Changes(graph, operators));
  changed |= SimplifyConvolutions(block, Changes(graph, operators));
  changed |= SimplifyScalars(graph);
  RefuseConcatenations(block);
  return changed;
}

}  // namespace fakeprop::script
