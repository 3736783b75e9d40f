// Source: torch/csrc/jit/passes/peephole.cpp, peephole_list_idioms.cpp, peephole_dict_idioms.cpp,
// peephole_alias_sensitive.cpp and concat_opt.cpp (torch 2.15), as they simplify a function before it is inlined.
#include <set>

#include "lib/torchscript/compiler/changes.h"
#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/passes.h"
#include "lib/torchscript/compiler/same_value.h"

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
    if (node.Is("aten::t") && node.input()->node->Is("aten::t"))
      Decline("a matrix that is transposed twice", node.place);
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

// Whether a list or dict is made here and never changed.
bool IsFixed(const IrValue& value, std::string_view made_by, const Changes& changes) {
  if (!value.node->Is(made_by)) return false;
  const Change change = changes.Of(value);
  if (change == Change::kMaybe) Decline("a list or dict that may be changed under another name", value.node->place);
  return change == Change::kNone;
}

bool AddLists(IrNode& node, const Changes& changes) {
  if (!IsFixed(*node.inputs[1], "prim::ListConstruct", changes)) return false;
  IrValues items = node.inputs[0]->node->inputs;
  items.insert(items.end(), node.inputs[1]->node->inputs.begin(), node.inputs[1]->node->inputs.end());
  const InsertingAt inserting(&node);
  ReplaceUses(*node.output(), node.graph->InsertOp("prim::ListConstruct", items, node.output()->type));
  return true;
}

bool IsListRead(const IrNode& node) {
  for (std::string_view kind : {"aten::len", "aten::__getitem__", "prim::ListUnpack", "aten::slice", "aten::add"})
    if (node.kind == kind) return true;
  return false;
}

bool SimplifyLists(IrBlock& block, const Changes& changes) {
  bool changed = false;
  ForAllNodes(block, [&](IrNode& node) {
    if (node.inputs.empty() || !node.input()->type->Is(TypeCase::kList)) return;
    if (!IsListRead(node) || !IsFixed(*node.input(), "prim::ListConstruct", changes)) return;
    if (node.Is("aten::add") && node.inputs.size() == 2) changed |= AddLists(node, changes);
    else changed |= SimplifyList(node);
  });
  return changed;
}

// Whether the keys of a dict are constants that all differ.
bool HasKnownKeys(const IrNode& dict) {
  const TypeRef key = dict.outputs[0]->type->of[0];
  if (!key->Is(TypeCase::kInt) && !key->Is(TypeCase::kFloat) && !key->Is(TypeCase::kString)) return false;
  std::set<std::string> seen;
  for (size_t i = 0; i < dict.inputs.size(); i += 2)
    if (!IsPlainConstant(*dict.inputs[i]) ||
        !seen.insert(TextForComparison(dict.inputs[i]->node->constant.value)).second)
      return false;
  return true;
}

// Null if there is none, or the key is no constant.
IrValue* FindInDict(const IrNode& dict, const IrValue& key) {
  for (size_t i = 0; i < dict.inputs.size() && IsPlainConstant(key); i += 2)
    if (IsSameValue(dict.inputs[i]->node->constant.value, key.node->constant.value)) return dict.inputs[i + 1];
  return nullptr;
}

bool SimplifyDicts(IrBlock& block, const Changes& changes) {
  bool changed = false;
  ForAllNodes(block, [&](IrNode& node) {
    if (!node.Is("aten::__getitem__") && !node.Is("aten::len")) return;
    if (!IsFixed(*node.input(), "prim::DictConstruct", changes) || !HasKnownKeys(*node.input()->node)) return;
    const IrNode& dict = *node.input()->node;
    if (node.Is("aten::len")) ReplaceByConstant(node, static_cast<int64_t>(dict.inputs.size() / 2));
    IrValue* value = node.Is("aten::len") ? nullptr : FindInDict(dict, *node.inputs[1]);
    if (value) ReplaceUses(*node.output(), value);
    changed |= node.Is("aten::len") || value;
  });
  return changed;
}

// The number of dimensions of what a convolution gives.
bool SimplifyConvolutions(IrBlock& block, const Changes& changes) {
  bool changed = false;
  ForAllNodes(block, [&](IrNode& node) {
    if (!node.Is("aten::conv1d") && !node.Is("aten::conv2d") && !node.Is("aten::conv3d")) return;
    const std::vector<IrUse> uses = node.output()->uses;
    for (const IrUse& use : uses) {
      if (!use.user->Is("aten::dim")) continue;
      if (changes.Of(*node.output()) != Change::kNone)
        Decline("the rank of a result that is written to", use.user->place);
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
  changed |= SimplifyDicts(block, Changes(graph, operators));
  changed |= SimplifyConvolutions(block, Changes(graph, operators));
  changed |= SimplifyScalars(graph);
  RefuseConcatenations(block);
  return changed;
}

}  // namespace fakeprop::script
