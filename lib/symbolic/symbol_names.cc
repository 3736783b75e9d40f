#include "lib/symbolic/symbol_names.h"

namespace fakeprop {

Sym SymbolNames::Find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string SymbolNames::Fresh(SymType type, const std::vector<std::string>& wishes) {
  const bool is_float = type == SymType::kFloat;
  for (const std::string& name : wishes)
    if (!by_name_.contains(name) && name.starts_with("zuf") == is_float) return name;
  std::string name;
  do {
    name = is_float ? "zuf" + std::to_string(next_unbacked_float_++) : "u" + std::to_string(next_unbacked_++);
  } while (by_name_.contains(name));
  return name;
}

}  // namespace fakeprop
