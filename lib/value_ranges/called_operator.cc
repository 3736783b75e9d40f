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

CalledOperator LookUp(std::string_view target) {
  CalledOperator called;
  const std::string name = OperatorName(target);
  called.schema = name.empty() ? nullptr : FindSchema(name);
  if (!called.schema) return called;
  called.word = AtenWord(*called.schema);
  called.ranges = FindOperatorRanges(called.word);
  called.writes = std::any_of(called.schema->arguments.begin(), called.schema->arguments.end(),
      [](const SchemaArgument& argument) { return argument.is_write; });
  called.narrows = called.word == "item" || called.word == "_local_scalar_dense" || IsAssertion(called.word);
  return called;
}

// Cheaper than a hash of the whole text: the ends of targets tell most of them apart.
struct HashOfEnds {
  size_t operator()(const std::string& target) const {
    uint64_t first = 0, last = 0;
    constexpr size_t kPrefix = std::string_view("torch.ops.aten.").size();
    std::memcpy(&first, target.data() + kPrefix, std::min(sizeof first, target.size() - kPrefix));
    std::memcpy(&last, target.data() + target.size() - sizeof last, sizeof last);
    return (first * 0x9E3779B97F4A7C15u) ^ (last * 0xC2B2AE3D27D4EB4Fu) ^ target.size();
  }
};

}  // namespace

const CalledOperator* OperatorOf(const Node& node) {
  if (node.op != NodeOp::kCallFunction || AtenWord(node.target).empty()) return nullptr;
  // The schemas of aten do not change, and there are a few thousand.
  thread_local std::unordered_map<std::string, CalledOperator, HashOfEnds> known;
  auto it = known.find(node.target);
  if (it == known.end()) it = known.emplace(node.target, LookUp(node.target)).first;
  return it->second.schema ? &it->second : nullptr;
}

}  // namespace fakeprop
