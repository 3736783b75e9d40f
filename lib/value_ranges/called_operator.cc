#include "lib/value_ranges/called_operator.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

bool IsAssertion(std::string_view word) {
  return word.starts_with("_assert_async") || word.starts_with("_functional_assert_async");
}

CalledOperator LookUp(const Schema& schema) {
  CalledOperator called;
  called.schema = &schema;
  called.word = AtenWord(*called.schema);
  called.ranges = FindOperatorRanges(called.word);
  called.writes = std::any_of(called.schema->arguments.begin(), called.schema->arguments.end(),
      [](const SchemaArgument& argument) { return argument.is_write; });
  called.narrows = called.word == "item" || called.word == "_local_scalar_dense" || IsAssertion(called.word);
  return called;
}

constexpr std::string_view kPrefix = "torch.ops.";

// Cheaper than a hash of the whole text: the first letters of the operator and the last of the overload tell most of
// them apart.
struct HashOfEnds {
  size_t operator()(const std::string& target) const {
    const size_t size = target.size();
    return (Eight(target, kPrefix.size() + 5) * 0x9E3779B97F4A7C15u) ^ (Eight(target, size - 8) + size);
  }
  // Up to eight letters from there on.
  static uint64_t Eight(const std::string& target, size_t from) {
    uint64_t letters = 0;
    if (from + sizeof letters <= target.size())
      return std::memcpy(&letters, target.data() + from, sizeof letters), letters;
    if (from < target.size()) std::memcpy(&letters, target.data() + from, std::min<size_t>(8, target.size() - from));
    return letters;
  }
};

bool IsOperator(const Node& node) {
  const std::string_view target = node.target;
  return node.op == NodeOp::kCallFunction && target.starts_with(kPrefix) &&
         !target.substr(kPrefix.size()).starts_with("higher_order.");
}

}  // namespace

const CalledOperator* OperatorOf(const Node& node) {
  if (!IsOperator(node)) return nullptr;
  // Schemas never change once there are any, and there are a few thousand.
  thread_local std::unordered_map<std::string, CalledOperator, HashOfEnds> known;
  if (const auto it = known.find(node.target); it != known.end()) return &it->second;
  const std::string name = OperatorName(node.target);
  const Schema* schema = name.empty() ? nullptr : FindSchema(name);
  return schema ? &known.emplace(node.target, LookUp(*schema)).first->second : nullptr;
}

const CalledOperator& OperatorOf(const Schema& schema) {
  thread_local std::unordered_map<const Schema*, CalledOperator> known;
  const auto it = known.find(&schema);
  return it != known.end() ? it->second : known.emplace(&schema, LookUp(schema)).first->second;
}

}  // namespace fakeprop
