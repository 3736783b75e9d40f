#include "lib/torchscript/script_modules.h"

namespace fakeprop {

ScriptModules::ScriptModules(ScriptGraph& script, const ScriptData& data) : script_(script), data_(data) {
  if (!script.body.inputs.empty()) modules_[script.body.inputs[0]] = {data.module(), ""};
  Follow(script.body);
  for (const Access& access : accesses_)
    if (HasState(access)) MakeStateful(access);
}

const ScriptModule* ScriptModules::Find(int32_t value) const {
  auto it = modules_.find(value);
  return it == modules_.end() ? nullptr : &it->second;
}

void ScriptModules::Follow(ScriptBlock& block) {
  for (ScriptNode& node : block.nodes) {
    const bool is_attribute = node.kind == "prim::GetAttr" || node.kind == "prim::SetAttr";
    if (is_attribute && !node.inputs.empty() && Find(node.inputs[0])) FollowAttribute(node);
    for (ScriptBlock& inner : node.blocks) {
      // A fork's body takes what it needs as inputs of its own.
      if (node.kind == "prim::fork") {
        for (size_t i = 0; i < inner.inputs.size() && i < node.inputs.size(); ++i)
          if (const ScriptModule* module = Find(node.inputs[i])) modules_[inner.inputs[i]] = ScriptModule(*module);
      }
      Follow(inner);
    }
  }
}

void ScriptModules::FollowAttribute(ScriptNode& node) {
  const ScriptModule module = *Find(node.inputs[0]);
  if (node.kind == "prim::SetAttr") set_.emplace(module.object, node.attribute);
  const auto value = data_.FindAttribute(module.object, node.attribute);
  if (value && !node.outputs.empty() && script_.values[node.outputs[0]].is_module) {
    modules_[node.outputs[0]] = {*value, module.path + (module.path.empty() ? "" : ".") + node.attribute};
    return;
  }
  accesses_.push_back({&node, module});
}

std::optional<PickleIndex> ScriptModules::StateOf(const ScriptModule& module) const {
  const auto state = data_.StateOf(module.object);
  const bool has_code = state && script_.setstates.contains(std::string(ClassOf(module)));
  return has_code ? state : std::nullopt;
}

bool ScriptModules::HasState(const Access& access) const {
  if (StateOf(access.module)) return true;
  if (set_.contains({access.module.object, access.node->attribute})) return true;
  const auto value = data_.FindAttribute(access.module.object, access.node->attribute);
  if (!value || data_.IsTensor(*value)) return false;
  const auto kind = data_.ItemOf(*value).kind;
  const bool holds =
      kind == PickleItem::Kind::kList || kind == PickleItem::Kind::kDict || kind == PickleItem::Kind::kTuple;
  return holds || (!data_.ReadPlain(*value) && !data_.AttributesOf(*value).empty());
}

void ScriptModules::MakeStateful(const Access& access) {
  auto [it, is_new] = places_.try_emplace(access.module.object, stateful_.size());
  if (is_new) {
    const int32_t value = static_cast<int32_t>(script_.values.size());
    script_.values.push_back({"", "", false});
    stateful_.push_back({value, access.module, {}, StateOf(access.module)});
  }
  stateful_[it->second].attributes.insert(access.node->attribute);
  access.node->inputs[0] = stateful_[it->second].value;
}

}  // namespace fakeprop
