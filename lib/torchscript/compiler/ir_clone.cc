// Copies of nodes, blocks and graphs. Source: Graph::createClone, Block::cloneFrom and Graph::copy in
// torch/csrc/jit/ir/ir.cpp (torch 2.15), which decide in which order copies get their names and numbers.
#include "lib/base/check.h"
#include "lib/torchscript/compiler/ir.h"

namespace fakeprop::script {

IrNode* IrGraph::Clone(const IrNode& node, const ValueMap& map) {
  IrNode* copy = Create(node.kind, {}, {});
  for (const IrValue* output : node.outputs) {
    IrValue* value = copy->AddOutput(output->type);
    if (!output->name.empty()) SetName(*value, output->name);
  }
  copy->name = node.name;
  copy->types = node.types;
  copy->constant = node.constant;
  copy->place = node.place;
  copy->calls = node.calls;
  for (IrValue* input : node.inputs) copy->AddInput(map(input));
  for (const auto& block : node.blocks) CloneBlock(*block, *copy->AddBlock(), map);
  return copy;
}

void IrGraph::CloneBlock(IrBlock& from, IrBlock& to, const ValueMap& map) {
  std::unordered_map<const IrValue*, IrValue*> copies;
  const ValueMap inner = [&](IrValue* value) {
    auto it = copies.find(value);
    return it == copies.end() ? map(value) : it->second;
  };
  for (const IrValue* input : from.inputs()) {
    IrValue* copy = to.parameters->AddOutput(input->type);
    if (!input->name.empty()) SetName(*copy, input->name);
    copies[input] = copy;
  }
  for (IrNode* node = from.first(); node != from.results; node = node->next) {
    IrNode* copy = Clone(*node, inner);
    copy->InsertBefore(to.results);
    for (size_t i = 0; i < node->outputs.size(); ++i) copies[node->outputs[i]] = copy->outputs[i];
  }
  for (IrValue* output : from.outputs()) to.results->AddInput(inner(output));
}

std::unique_ptr<IrGraph> IrGraph::Copy() {
  auto copy = std::make_unique<IrGraph>(types_);
  copy->CloneBlock(block_, copy->block_, [](IrValue* value) -> IrValue* {
    FAKEPROP_CHECK(!value);  // a value of no node
    return nullptr;
  });
  return copy;
}

}  // namespace fakeprop::script
