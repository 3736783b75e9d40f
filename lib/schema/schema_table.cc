#include "lib/schema/schema_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <ranges>
#include <unordered_map>

namespace fakeprop {

// The generated source defines these: sorted by full_name; if versions differ, several entries, the newest first.
extern const size_t kSchemaTableSize;
SchemaEntry SchemaTableEntry(size_t index);

namespace {

// The number of the first entry of this name or of a later one.
size_t FirstFrom(std::string_view name) {
  const auto numbers = std::views::iota(size_t{0}, kSchemaTableSize);
  return *std::ranges::partition_point(numbers, [&](size_t i) { return SchemaTableEntry(i).full_name < name; });
}

// The entries of one operator.
std::vector<SchemaEntry> VersionsOf(std::string_view full_name) {
  std::vector<SchemaEntry> versions;
  for (size_t i = FirstFrom(full_name); i < kSchemaTableSize; ++i) {
    const SchemaEntry entry = SchemaTableEntry(i);
    if (entry.full_name != full_name) break;
    versions.push_back(entry);
  }
  return versions;
}

// An operator as the newest version has it, for all versions that have it.
SchemaEntry Newest(std::span<const SchemaEntry> versions) {
  SchemaEntry entry = versions.front();
  entry.versions.since = versions.back().versions.since;
  return entry;
}

std::vector<SchemaEntry> NewestOfAll() {
  std::vector<SchemaEntry> newest;
  for (size_t i = 0; i < kSchemaTableSize;) {
    const auto versions = VersionsOf(SchemaTableEntry(i).full_name);
    newest.push_back(Newest(versions));
    i += versions.size();
  }
  return newest;
}

Schema ParseNewest(std::span<const SchemaEntry> versions) {
  Schema schema = ParseSchema(versions.front().text, versions.front().flags);
  for (const SchemaEntry& entry : versions.subspan(1)) {
    const Schema former = ParseSchema(entry.text, entry.flags);
    schema.varies |= entry.text != schema.text;
    for (size_t i = 0; i < former.arguments.size() && i < schema.arguments.size(); ++i)
      if (former.arguments[i].name != schema.arguments[i].name)
        schema.arguments[i].former_name = former.arguments[i].name;
  }
  return schema;
}

// The same operator, however its defaults are spelt.
bool IsSame(const Schema& a, const Schema& b) {
  auto same_argument = [](const SchemaArgument& x, const SchemaArgument& y) {
    const bool same_default = x.default_value.has_value() == y.default_value.has_value() &&
                              (!x.default_value || ToString(*x.default_value) == ToString(*y.default_value));
    return x.name == y.name && x.type.text == y.type.text && x.is_keyword_only == y.is_keyword_only &&
           x.is_write == y.is_write && x.alias_set == y.alias_set && same_default;
  };
  auto same_return = [](const SchemaReturn& x, const SchemaReturn& y) {
    return x.type.text == y.type.text && x.is_write == y.is_write && x.alias_set == y.alias_set;
  };
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), same_argument) &&
         std::equal(a.returns.begin(), a.returns.end(), b.returns.begin(), b.returns.end(), same_return);
}

// What was asked for or taken in so far.
class Known {
 public:
  static Known& Get() {
    static auto* const known = new Known;
    return *known;
  }

  const Schema* Find(std::string_view full_name) {
    const std::lock_guard lock(mutex_);
    return FindOrParse(full_name);
  }

  const Schema* Add(std::string text, uint32_t flags) {
    auto owned = std::make_unique<std::string>(std::move(text));
    Schema schema = ParseSchema(*owned, flags);
    // Of two threads that add an operator, the second has to see the first one's schema.
    const std::lock_guard lock(mutex_);
    if (const Schema* known = FindOrParse(schema.full_name)) return IsSame(*known, schema) ? known : nullptr;
    added_.emplace(schema.full_name, SchemaEntry{schema.full_name, schema.text, flags});
    texts_.push_back(std::move(owned));
    return Emplace(std::move(schema));
  }

  // The added entries whose name is `name`, or all.
  std::vector<SchemaEntry> Added(std::string_view name = {}) {
    const std::lock_guard lock(mutex_);
    std::vector<SchemaEntry> entries;
    for (const auto& [full_name, entry] : added_)
      if (name.empty() || parsed_.at(full_name)->name == name) entries.push_back(entry);
    return entries;
  }

  size_t added_count() {
    const std::lock_guard lock(mutex_);
    return added_.size();
  }

 private:
  // These need the lock.
  const Schema* FindOrParse(std::string_view full_name) {
    if (auto it = parsed_.find(full_name); it != parsed_.end()) return it->second.get();
    const auto versions = VersionsOf(full_name);
    return versions.empty() ? nullptr : Emplace(ParseNewest(versions));
  }

  const Schema* Emplace(Schema schema) {
    auto& slot = parsed_[schema.full_name];
    slot = std::make_unique<Schema>(std::move(schema));
    return slot.get();
  }

  std::mutex mutex_;
  std::unordered_map<std::string_view, std::unique_ptr<Schema>> parsed_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::map<std::string_view, SchemaEntry> added_;
};

}  // namespace

std::span<const SchemaEntry> AllSchemas() {
  static const std::vector<SchemaEntry> all = NewestOfAll();
  return all;
}

std::vector<SchemaEntry> FormerSchemas() {
  std::vector<SchemaEntry> former;
  for (size_t i = 1; i < kSchemaTableSize; ++i)
    if (const SchemaEntry entry = SchemaTableEntry(i); entry.full_name == SchemaTableEntry(i - 1).full_name)
      former.push_back(entry);
  return former;
}

const Schema* FindSchema(std::string_view full_name) { return Known::Get().Find(full_name); }
const Schema* AddSchema(std::string text, uint32_t flags) { return Known::Get().Add(std::move(text), flags); }
std::vector<SchemaEntry> AddedSchemas() { return Known::Get().Added(); }
size_t AddedSchemaCount() { return Known::Get().added_count(); }

std::vector<SchemaEntry> Overloads(std::string_view name) {
  // '.' sorts before every character of a longer name, so the overloads stand together, the default one first.
  std::vector<SchemaEntry> overloads;
  for (size_t i = FirstFrom(name); i < kSchemaTableSize; ++i) {
    const SchemaEntry entry = SchemaTableEntry(i);
    if (!entry.full_name.starts_with(name)) break;
    if (entry.full_name.size() > name.size() && entry.full_name[name.size()] != '.') break;
    if (overloads.empty() || overloads.back().full_name != entry.full_name) overloads.push_back(entry);
    overloads.back().versions.since = entry.versions.since;
  }
  const std::vector<SchemaEntry> added = Known::Get().Added(name);
  overloads.insert(overloads.end(), added.begin(), added.end());
  return overloads;
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
