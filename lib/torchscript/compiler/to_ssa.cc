// Source: torch/csrc/jit/frontend/convert_to_ssa.cpp and inline_loop_condition.cpp (torch 2.15).
#include <map>
#include <set>
#include <string>

#include "lib/base/check.h"
#include "lib/torchscript/compiler/environment.h"
#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {
namespace {

// What variables have in a block, and in those around it.
template <typename T>
struct Scope {
  const Scope* outer;
  std::map<std::string, T> variables = {};

  T Find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
      if (auto it = scope->variables.find(name); it != scope->variables.end()) return it->second;
    return nullptr;
  }
};

using Types = Scope<TypeRef>;
using Values = Scope<IrValue*>;

IrNode* NewStore(IrGraph& graph, const std::string& name, IrValue* value) {
  IrNode* store = graph.Create("prim::Store", {value}, {});
  store->name = name;
  return store;
}

IrValue* NewLoad(IrNode* before, const std::string& name, TypeRef type) {
  IrNode* load = before->graph->Create("prim::Load", {}, {type});
  load->name = name;
  load->InsertBefore(before);
  return load->output();
}

void AddBlockOutput(IrBlock& block, const std::string& name, TypeRef type) {
  block.results->AddInput(NewLoad(block.results, name, type));
}

void AddNodeOutput(IrNode& node, const std::string& name, TypeRef type) {
  IrValue* output = node.AddOutput(type);
  if (IsMeaningfulName(name)) SetName(*output, name);
  NewStore(*node.graph, name, output)->InsertAfter(&node);
}

Types AddLoadsAndStores(IrBlock& block, const Types* outer);

void AddToIf(IrNode& node, const Types& scope) {
  const Types if_true = AddLoadsAndStores(*node.blocks[0], &scope);
  const Types if_false = AddLoadsAndStores(*node.blocks[1], &scope);
  std::set<std::string> changed;
  for (const auto& [name, type] : if_true.variables)
    if (if_false.Find(name)) changed.insert(name);
  for (const auto& [name, type] : if_false.variables)
    if (if_true.Find(name)) changed.insert(name);
  for (const std::string& name : changed) {
    const TypeRef true_type = if_true.Find(name), false_type = if_false.Find(name);
    const TypeRef unified = Unify(true_type, false_type, node.graph->types());
    if (!unified) continue;
    AddBlockOutput(*node.blocks[0], name, true_type);
    AddBlockOutput(*node.blocks[1], name, false_type);
    AddNodeOutput(node, name, unified);
  }
}

void AddToLoop(IrNode& node, const Types& scope) {
  IrBlock& body = *node.blocks[0];
  const Types inner = AddLoadsAndStores(body, &scope);
  for (const auto& [name, type] : inner.variables) {
    const TypeRef before = scope.Find(name);
    if (!before) continue;
    const TypeRef unified = Unify(before, type, node.graph->types());
    FAKEPROP_CHECK(unified);
    node.AddInput(NewLoad(&node, name, before));
    IrValue* input = body.parameters->AddOutput(unified);
    SetName(*input, name);
    NewStore(*node.graph, name, input)->InsertAfter(body.parameters);
    AddBlockOutput(body, name, type);
    AddNodeOutput(node, name, unified);
  }
}

Types AddLoadsAndStores(IrBlock& block, const Types* outer) {
  Types scope = {outer};
  for (IrNode* node = block.first(); node != block.results; node = node->next) {
    if (node->Is("prim::If")) AddToIf(*node, scope);
    else if (node->Is("prim::Loop")) AddToLoop(*node, scope);
    else if (node->Is("prim::Store")) scope.variables[node->name] = node->input()->type;
  }
  return scope;
}

void MoveNodes(IrBlock& from, IrNode* before) {
  ForEachNode(from, [&](IrNode& node) { node.MoveBefore(before); });
}

// The condition of a loop is computed before the loop, and again at the end of its body.
void InlineLoopConditions(IrBlock& block) {
  for (IrNode* node = block.first(); node != block.results; node = node->next) {
    for (const auto& inner : node->blocks) InlineLoopConditions(*inner);
    if (!node->Is("prim::Loop")) continue;
    IrBlock& check = *node->blocks[1];
    IrBlock* copy = node->AddBlock();
    node->graph->CloneBlock(check, *copy, [](IrValue* value) { return value; });
    MoveNodes(*copy, node);
    node->InsertInput(1, copy->outputs()[0]);
    copy->results->RemoveInput(0);
    node->blocks.pop_back();
    IrNode* results = node->blocks[0]->results;
    MoveNodes(check, results);
    results->InsertInput(0, check.outputs()[0]);
    check.results->RemoveInput(0);
    node->blocks.pop_back();
  }
}

void EraseLoadsAndStores(IrBlock& block, const Values* outer) {
  Values scope = {outer};
  ForEachNode(block, [&](IrNode& node) {
    if (node.Is("prim::Store")) {
      scope.variables[node.name] = node.input();
      node.Destroy();
    } else if (node.Is("prim::Load")) {
      IrValue* value = scope.Find(node.name);
      FAKEPROP_CHECK(value);
      ReplaceUses(*node.output(), value);
      node.Destroy();
    } else {
      for (const auto& inner : node.blocks) EraseLoadsAndStores(*inner, &scope);
    }
  });
}

}  // namespace

void ConvertToSsa(IrGraph& graph) {
  AddLoadsAndStores(*graph.block(), nullptr);
  InlineLoopConditions(*graph.block());
  EraseLoadsAndStores(*graph.block(), nullptr);
  LowerReturns(graph);
}

}  // namespace fakeprop::script
