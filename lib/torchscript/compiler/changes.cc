#include "lib/torchscript/compiler/changes.h"

#include <algorithm>

#include "lib/torchscript/compiler/passes.h"
#include "lib/torchscript/compiler/schema_matching.h"

namespace fakeprop::script {
namespace {

// Whether a result can be an argument, or a view of it.
bool SharesMemory(const OpSchema& schema, const IrValue& result) {
  if (!IsMutable(result.type)) return false;
  // A new tensor; operators that give views, or arguments themselves, and all that deals with containers, are taken for
  // sharing. So are those that write.
  for (std::string_view fresh : {"aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::batch_norm", "aten::linear",
           "aten::relu", "aten::add", "aten::max_pool2d", "aten::cat", "aten::layer_norm", "aten::matmul"})
    if (schema.name == fresh) return false;
  return true;
}

}  // namespace

Changes::Changes(IrGraph& graph, OperatorTable& operators) {
  Follow(*graph.block(), operators);
  for (const IrValue* value : writes_) written_.insert(Root(value));
}

const IrValue* Changes::Root(const IrValue* value) const {
  for (auto it = parents_.find(value); it != parents_.end(); it = parents_.find(value)) value = it->second;
  return value;
}

void Changes::Join(const IrValue* a, const IrValue* b) {
  if (!IsMutable(a->type) || !IsMutable(b->type)) return;
  a = Root(a);
  b = Root(b);
  if (a != b) parents_[a] = b;
}

void Changes::Follow(IrBlock& block, OperatorTable& operators) {
  ForEachNode(block, [&](IrNode& node) {
    for (const auto& inner : node.blocks) {
      Follow(*inner, operators);
      const size_t skipped = node.Is("prim::Loop") ? 1 : 0;
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        Join(node.outputs[i], inner->outputs()[i + skipped]);
        if (skipped > 0) Join(node.outputs[i], inner->inputs()[i + 1]);
        if (skipped > 0) Join(node.outputs[i], node.inputs[i + 2]);
      }
    }
    if (node.blocks.empty()) FollowNode(node, operators);
  });
}

void Changes::FollowNode(const IrNode& node, OperatorTable& operators) {
  if (node.Is("prim::Constant") || node.Is("prim::GetAttr")) return;
  if (node.kind.starts_with("prim::")) {
    for (const IrValue* output : node.outputs)
      for (const IrValue* input : node.inputs) Join(output, input);
    const bool is_call = node.Is("prim::CallMethod") || node.Is("prim::CallFunction") || node.Is("prim::SetAttr");
    if (is_call) writes_.insert(node.inputs.begin(), node.inputs.end());
    return;
  }
  for (const OpSchema& schema : operators.Find(node.kind)) {
    if (!IsSchemaOf(schema, node, node.graph->types())) continue;
    for (size_t i = 0; i < node.inputs.size() && i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].is_write) writes_.insert(node.inputs[i]);
      for (const IrValue* output : node.outputs)
        if (SharesMemory(schema, *output)) Join(output, node.inputs[i]);
    }
    return;
  }
}

}  // namespace fakeprop::script
