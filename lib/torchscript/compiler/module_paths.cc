#include "lib/torchscript/compiler/module_paths.h"

#include <deque>

namespace fakeprop::script {
namespace {

constexpr size_t kMostModules = 100'000;

struct OpenModule {
  const ScriptClass* cls;
  std::string path;
};

std::string Search(const ScriptClass& from, const std::string& name, const ScriptClass& to) {
  std::deque<OpenModule> open = {{&from, ""}};
  for (size_t seen = 0; !open.empty() && seen < kMostModules; ++seen) {
    const OpenModule module = std::move(open.front());
    open.pop_front();
    for (const auto& [attribute, type] : module.cls->attributes) {
      if (!type->Is(TypeCase::kClass) || !type->cls || !type->cls->is_module) continue;
      std::string path = module.path.empty() ? attribute : module.path + "." + attribute;
      if (type->cls == &to && attribute == name) return path;
      open.push_back({type->cls, std::move(path)});
    }
  }
  return name;
}

}  // namespace

const std::string& ModulePaths::Find(const ScriptClass& from, const std::string& name, const ScriptClass& to) {
  auto [it, is_new] = found_.try_emplace({&from, &to, name});
  if (is_new) it->second = Search(from, name, to);
  return it->second;
}

}  // namespace fakeprop::script
