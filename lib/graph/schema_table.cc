#include "lib/graph/schema_table.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace fakeprop {

// The generated source defines these.
extern const SchemaEntry kSchemaTable[];
extern const size_t kSchemaTableSize;

std::span<const SchemaEntry> AllSchemas() { return {kSchemaTable, kSchemaTableSize}; }

const Schema* FindSchema(std::string_view full_name) {
  static std::mutex mutex;
  static std::unordered_map<std::string_view, std::unique_ptr<Schema>> parsed;
  const std::lock_guard lock(mutex);
  if (auto it = parsed.find(full_name); it != parsed.end()) return it->second.get();
  const auto entries = AllSchemas();
  auto it = std::lower_bound(entries.begin(), entries.end(), full_name,
                             [](const SchemaEntry& e, std::string_view name) { return e.full_name < name; });
  if (it == entries.end() || it->full_name != full_name) return nullptr;
  auto& slot = parsed[it->full_name];
  slot = std::make_unique<Schema>(ParseSchema(it->text, it->flags));
  return slot.get();
}

std::span<const SchemaEntry> Overloads(std::string_view name) {
  // '.' sorts before every character of a longer name, so the overloads stand together, the default one first.
  const auto entries = AllSchemas();
  auto first = std::lower_bound(entries.begin(), entries.end(), name,
                                [](const SchemaEntry& e, std::string_view n) { return e.full_name < n; });
  auto last = first;
  while (last != entries.end() && last->full_name.starts_with(name) &&
         (last->full_name.size() == name.size() || last->full_name[name.size()] == '.')) {
    ++last;
  }
  return {first, last};
}

std::string OperatorName(std::string_view target) {
  constexpr std::string_view kPrefix = "torch.ops.";
  if (!target.starts_with(kPrefix)) return "";
  target.remove_prefix(kPrefix.size());
  const size_t dot = target.find('.');
  const size_t last = target.rfind('.');
  if (dot == std::string_view::npos || last == dot) return "";
  std::string name = std::string(target.substr(0, dot)) + "::" + std::string(target.substr(dot + 1, last - dot - 1));
  const std::string_view overload = target.substr(last + 1);
  if (overload != "default") name += "." + std::string(overload);
  return name;
}

std::string TargetName(std::string_view full_name) {
  const size_t colons = full_name.find("::");
  if (colons == std::string_view::npos) return std::string(full_name);
  const std::string_view rest = full_name.substr(colons + 2);
  std::string target = "torch.ops." + std::string(full_name.substr(0, colons)) + "." + std::string(rest);
  if (rest.find('.') == std::string_view::npos) target += ".default";
  return target;
}

}  // namespace fakeprop
