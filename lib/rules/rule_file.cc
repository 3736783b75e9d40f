#include "lib/rules/rule_file.h"

#include <string>
#include <unordered_map>

#include "lib/rules/families.h"

namespace fakeprop {
namespace {

// In the order of RuleFamilies().
constexpr std::string_view kFiles[] = {
#include "lib/rules/family_files.inc"
};

std::unordered_map<std::string_view, std::string_view> FilesByOperator() {
  std::unordered_map<std::string_view, std::string_view> files;
  size_t family = 0;
  for (RuleRows rows : rules::RuleFamilies()) {
    for (const RuleRow& row : rows) files.emplace(row.op, kFiles[family]);
    ++family;
  }
  return files;
}

}  // namespace

std::string_view RuleFile(const RuleRow& row) {
  static const auto& files = *new auto(FilesByOperator());
  const auto it = files.find(row.op);
  return it == files.end() ? std::string_view() : it->second;
}

}  // namespace fakeprop
