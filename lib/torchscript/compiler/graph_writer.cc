#include "lib/torchscript/compiler/graph_writer.h"

#include <deque>
#include <unordered_map>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/module_paths.h"
#include "lib/torchscript/compiler/schema_matching.h"

namespace fakeprop::script {
namespace {

ScriptType WriteType(TypeRef type) {
  const auto with_parts = [&](std::string name) {
    ScriptType out = {std::move(name), {}};
    for (TypeRef part : type->of) out.of.push_back(WriteType(part));
    return out;
  };
  switch (type->kind) {
    case TypeCase::kOptional: return with_parts("Optional");
    case TypeCase::kList: return with_parts("List");
    case TypeCase::kTuple:
    case TypeCase::kNamedTuple: return with_parts("Tuple");
    case TypeCase::kDict: return with_parts("Dict");
    default: return {type->name, {}};
  }
}

class GraphWriter {
 public:
  GraphWriter(const ScriptClass& root, Program& program, ScriptGraph& out)
      : root_(root), program_(program), out_(out) {}

  ScriptBlock Write(const IrBlock& block) {
    ScriptBlock out;
    out.inputs = Indices(block.inputs());
    for (const IrNode* node = block.first(); node != block.results; node = node->next)
      out.nodes.push_back(WriteNode(*node));
    out.outputs = Indices(block.outputs());
    return out;
  }

 private:
  std::vector<int32_t> Indices(const IrValues& values) {
    std::vector<int32_t> indices;
    for (const IrValue* value : values) {
      auto [it, is_new] = indices_.emplace(value, static_cast<int32_t>(out_.values.size()));
      const bool is_module = value->type->Is(TypeCase::kClass) && value->type->cls && value->type->cls->is_module;
      if (is_new) out_.values.push_back({NameOf(*value), value->type->name, is_module});
      indices.push_back(it->second);
    }
    return indices;
  }

  int32_t TextIndex(const std::string& text) {
    auto [it, is_new] = texts_.emplace(text, static_cast<int32_t>(out_.texts.size()));
    if (is_new) out_.texts.push_back(text);
    return it->second;
  }

  std::string KindOf(const IrNode& node) const {
    std::string kind(node.kind);
    if (node.kind.starts_with("prim::")) return kind;
    for (const OpSchema& schema : program_.operators().Find(node.kind))
      if (IsSchemaOf(schema, node, program_.types()))
        return schema.overload.empty() ? kind : kind + "." + schema.overload;
    Decline("a call of `" + kind + "` that is none of its overloads", node.place);
  }

  ScriptNode WriteNode(const IrNode& node) {
    ScriptNode out;
    out.kind = KindOf(node);
    out.inputs = Indices(node.inputs);
    out.outputs = Indices(node.outputs);
    if (node.Is("prim::Constant")) {
      out.constant = node.constant.value;
      out.archive_constant = node.constant.archive_number;
    } else if (node.Is("prim::isinstance")) {
      List names;
      for (TypeRef type : node.types) names.items.push_back(type->name);
      out.constant = std::move(names);
    } else if (!node.inputs.empty() && node.input()->type->Is(TypeCase::kEnum)) {
      out.constant = EnumTable(node);
    } else {
      out.attribute = node.name;
    }
    if (node.Is("prim::CreateObject")) out.attribute = node.output()->type->name;
    for (const auto& block : node.blocks) out.blocks.push_back(Write(*block));
    WritePlaces(node, out);
    return out;
  }

  // What prim::EnumName or prim::EnumValue gives for each value.
  static Value EnumTable(const IrNode& node) {
    if (!node.Is("prim::EnumName") && !node.Is("prim::EnumValue")) return {};
    Dict table;
    for (const auto& [name, value] : node.input()->type->cls->enum_values)
      table.items.emplace_back(ToString(value), node.Is("prim::EnumName") ? Value(name) : value);
    return table;
  }

  ScriptPlace WritePlace(CodePlace place, const std::string& function) {
    ScriptPlace out;
    out.function = TextIndex(function);
    if (!place.file) return out;
    out.member = TextIndex(place.file->member);
    out.offset = place.offset;
    return out;
  }

  void WritePlaces(const IrNode& node, ScriptNode& out) {
    std::string function = "forward", path;
    const ScriptClass* cls = &root_;
    for (const CallFrame* frame = node.calls; frame; frame = frame->inner) {
      out.places.push_back(WritePlace(frame->place, function));
      function = frame->callee->name;
      if (!frame->cls || frame->instance == "SELF") continue;
      path += (path.empty() ? "" : ".") + paths_.Find(*cls, frame->instance, *frame->cls);
      cls = frame->cls;
    }
    out.places.push_back(WritePlace(node.place, function));
    if (!path.empty()) out.module_path = TextIndex(path);
  }

  const ScriptClass& root_;
  Program& program_;
  ScriptGraph& out_;
  ModulePaths paths_;
  std::unordered_map<const IrValue*, int32_t> indices_;
  std::unordered_map<std::string, int32_t> texts_;
};

}  // namespace

ScriptBlock WriteGraph(IrGraph& graph, const ScriptClass& root, Program& program, ScriptGraph& out) {
  return GraphWriter(root, program, out).Write(*graph.block());
}

std::vector<ScriptInput> WriteInputs(const OpSchema& schema) {
  std::vector<ScriptInput> inputs;
  for (size_t i = 1; i < schema.arguments.size(); ++i)
    inputs.push_back(
        {schema.arguments[i].name, WriteType(schema.arguments[i].type), schema.arguments[i].default_value});
  return inputs;
}

}  // namespace fakeprop::script
