#include "lib/torchscript/script_names.h"

#include <algorithm>

namespace fakeprop {
namespace {

// "__torch__.torch.nn.modules.conv.___torch_mangle_3.Conv2d" -> "torch.nn.modules.conv.Conv2d"
std::string PythonClass(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const size_t end = std::min(name.find('.'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (part == "__torch__" || part.starts_with("___torch_mangle_")) continue;
    out += (out.empty() ? "" : ".") + std::string(part);
  }
  return out;
}

}  // namespace

std::string UniqueNames::Make(std::string name) {
  auto [it, is_new] = used_.emplace(name, 0);
  if (is_new) return name;
  std::string numbered;
  do {
    numbered = name + "_" + std::to_string(++used_[name]);
  } while (used_.contains(numbered));
  used_.emplace(numbered, 0);
  return numbered;
}

std::string PlainName(std::string_view name) {
  const size_t dot = name.rfind('.');
  const bool has_number = dot != std::string_view::npos && dot + 1 < name.size() &&
                          name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  const std::string_view plain = has_number ? name.substr(0, dot) : name;
  const bool is_number = plain.find_first_not_of("0123456789") == std::string_view::npos;
  return (is_number ? "v" : "") + std::string(plain);
}

std::string ScriptNames::NameOf(const ScriptNode& node) const {
  std::string_view op = node.kind;
  if (const size_t space = op.find("::"); space != std::string_view::npos) op.remove_prefix(space + 2);
  op = op.substr(0, op.find('.'));
  return (node.module_path < 0 ? "" : texts_[node.module_path] + "/") + std::string(op);
}

std::string_view ScriptNames::StackOf(const ScriptNode& node) {
  auto [it, is_new] = stacks_.try_emplace(node.module_path);
  if (!is_new) return it->second;
  const std::string path = node.module_path < 0 ? "" : texts_[node.module_path];
  PickleIndex module = data_.module();
  std::string stack = ",," + PythonClass(data_.ClassOf(module));
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('.', at), path.size());
    const auto inner = data_.FindAttribute(module, std::string_view(path).substr(at, end - at));
    if (!inner) break;
    module = *inner;
    stack += ";," + path.substr(0, end) + "," + PythonClass(data_.ClassOf(module));
    at = end + 1;
  }
  return it->second = arena_.Store(stack);
}

}  // namespace fakeprop
