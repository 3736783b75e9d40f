// Follows values roughly: what this calls unchanged, torch/csrc/jit/ir/alias_analysis.cpp does too (torch 2.15).
#include "lib/torchscript/compiler/changes.h"

#include <algorithm>

#include "lib/torchscript/compiler/passes.h"
#include "lib/torchscript/compiler/schema_matching.h"

namespace fakeprop::script {

Changes::Changes(IrGraph& graph, OperatorTable& operators) {
  for (const IrValue* input : graph.block()->inputs()) JoinUnknown(input);
  Follow(*graph.block(), operators);
  for (const IrValue* value : writes_) written_roots_.insert(Root(value));
}

Change Changes::Of(const IrValue& value) const {
  if (writes_.contains(&value)) return Change::kSurely;
  return written_roots_.contains(Root(&value)) ? Change::kMaybe : Change::kNone;
}

const IrValue* Changes::Root(const IrValue* value) const {
  const IrValue* root = value;
  for (auto it = parents_.find(root); it != parents_.end(); it = parents_.find(root)) root = it->second;
  // The next search along this way is short.
  for (auto it = parents_.find(value); it != parents_.end() && it->second != root; it = parents_.find(value)) {
    value = it->second;
    it->second = root;
  }
  return root;
}

void Changes::Join(const IrValue* a, const IrValue* b) {
  if (!IsMutable(a->type) || !IsMutable(b->type)) return;
  a = Root(a);
  b = Root(b);
  if (a != b) parents_[a] = b;
}

void Changes::JoinUnknown(const IrValue* value) {
  IrValue& unknown = unknown_[value->type];
  unknown.type = value->type;
  Join(value, &unknown);
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
  if (node.Is("prim::Constant")) return;
  if (node.Is("prim::GetAttr")) return JoinUnknown(node.output());
  if (node.kind.starts_with("prim::")) {
    for (const IrValue* output : node.outputs)
      for (const IrValue* input : node.inputs) Join(output, input);
    const bool is_call = node.Is("prim::CallMethod") || node.Is("prim::CallFunction") || node.Is("prim::SetAttr");
    if (is_call) writes_.insert(node.inputs.begin(), node.inputs.end());
    return;
  }
  for (const OpSchema& schema : operators.Find(node.kind))
    if (IsSchemaOf(schema, node, node.graph->types())) return FollowCall(node, schema);
}

void Changes::FollowCall(const IrNode& node, const OpSchema& schema) {
  for (size_t i = 0; i < node.inputs.size() && i < schema.arguments.size(); ++i) {
    const OpArgument& argument = schema.arguments[i];
    if (argument.is_write) writes_.insert(node.inputs[i]);
    if (argument.escapes) JoinUnknown(node.inputs[i]);
    for (const IrValue* output : node.outputs)
      if (argument.is_aliased) Join(output, node.inputs[i]);
  }
  for (const IrValue* output : node.outputs)
    if (schema.gives_unknown) JoinUnknown(output);
}

}  // namespace fakeprop::script
