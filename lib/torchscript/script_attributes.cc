#include "lib/torchscript/script_attributes.h"

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

using Kind = PickleItem::Kind;

constexpr int kMostLevels = 50;

std::string Joined(const std::string& path, std::string_view name) {
  return path + (path.empty() ? "" : ".") + std::string(name);
}

}  // namespace

// Tensors on one storage stand on the first that was met.
int32_t ScriptAttributes::AddTensor(Attribute attribute, std::string name, const std::string& storage) {
  const int32_t member = static_cast<int32_t>(root_.attributes.size());
  auto [first, is_new] = storages_.emplace(storage, member);
  attribute.name = std::move(name);
  if (!is_new) attribute.storage_of = first->second;
  root_.attributes.push_back(std::move(attribute));
  return member;
}

int32_t ScriptAttributes::TensorMember(PickleIndex value, const std::string& path) {
  auto [it, is_new] = tensors_.try_emplace(value, -1);
  if (is_new) {
    std::string storage;
    Attribute attribute = data_.ReadTensor(value, storage);
    it->second = AddTensor(std::move(attribute), path, storage);
  }
  return it->second;
}

ScriptAttribute ScriptAttributes::Find(const ScriptModule& module, const std::string& name) {
  if (const auto value = data_.FindAttribute(module.object, name)) return Of(*value, Joined(module.path, name));
  ScriptAttribute out;
  out.problem = "the file has no value for it";
  return out;
}

ScriptAttribute ScriptAttributes::Of(PickleIndex value, const std::string& path) {
  ScriptAttribute out;
  if (data_.IsTensor(value)) out.member = TensorMember(value, path);
  else if ((out.plain = data_.ReadPlain(value)) || (out.packed = ReadPackedObject(data_, value))) return out;
  else out.problem = "it is " + data_.Describe(value) + ", whose content has no shape here";
  return out;
}

Node ScriptAttributes::PackingNode(const PackedObject& packed, const std::string& path, const AddNode& add, int level) {
  Node node;
  node.name = path;
  node.op = NodeOp::kCallFunction;
  node.target = TargetName(packed.prepack);
  for (const PackedArgument& argument : packed.arguments) {
    const auto* index = std::get_if<PickleIndex>(&argument.value);
    node.arguments.push_back({{}, index ? ValueOf(*index, Joined(path, argument.name), add, level + 1)
                                        : GraphValue(std::get<Value>(argument.value))});
  }
  return node;
}

GraphValue ScriptAttributes::ValueOf(PickleIndex value, const std::string& path, const AddNode& add, int level) {
  if (level > kMostLevels) return Opaque{"unreadable", "it holds itself"};
  if (const auto plain = data_.ReadPlain(value)) return *plain;
  const PickleItem& item = data_.ItemOf(value);
  if (item.kind == Kind::kList || item.kind == Kind::kTuple) {
    std::vector<GraphValue> items;
    for (PickleIndex inner : item.children)
      items.push_back(ValueOf(inner, Joined(path, std::to_string(items.size())), add, level + 1));
    return ContainerOf(item.kind == Kind::kTuple ? ContainerKind::kTuple : ContainerKind::kList, std::move(items));
  }
  if (item.kind == Kind::kDict) {
    std::vector<GraphValue> items;
    for (size_t i = 0; i + 1 < item.children.size(); i += 2) {
      items.push_back(ValueOf(item.children[i], path, add, level + 1));
      items.push_back(ValueOf(item.children[i + 1], Joined(path, std::to_string(i / 2)), add, level + 1));
    }
    return ContainerOf(ContainerKind::kDict, std::move(items));
  }
  Node node;
  node.name = path;
  if (data_.IsTensor(value)) {
    node.op = NodeOp::kGetAttr;
    node.target = path;
    node.member = TensorMember(value, path);
    return NodeRef{add(std::move(node))};
  }
  if (const auto packed = ReadPackedObject(data_, value)) return NodeRef{add(PackingNode(*packed, path, add, level))};
  const auto fields = data_.AttributesOf(value);
  if (fields.empty()) return Opaque{"unreadable", "it is " + data_.Describe(value)};
  node.target = "prim::Module";
  node.arguments.push_back({{}, Value(std::string(data_.ClassOf(value)))});
  for (const auto& [name, inner] : fields) {
    node.arguments.push_back({{}, Value(std::string(name))});
    node.arguments.push_back({{}, ValueOf(inner, Joined(path, name), add, level + 1)});
  }
  return NodeRef{add(std::move(node))};
}

std::vector<Argument> ScriptAttributes::ItemsOf(PickleIndex tuple, const std::string& path, const AddNode& add) {
  std::vector<Argument> items;
  for (PickleIndex item : data_.ItemOf(tuple).children)
    items.push_back({{}, ValueOf(item, Joined(path, std::to_string(items.size())), add)});
  return items;
}

std::vector<Argument> ScriptAttributes::StateOf(
    const ScriptModule& module, const std::set<std::string>& attributes, const AddNode& add) {
  std::vector<Argument> arguments = {{{}, Value(std::string(data_.ClassOf(module.object)))}};
  for (const std::string& name : attributes) {
    const auto value = data_.FindAttribute(module.object, name);
    if (!value) continue;
    arguments.push_back({{}, Value(name)});
    arguments.push_back({{}, ValueOf(*value, Joined(module.path, name), add)});
  }
  return arguments;
}

}  // namespace fakeprop
