#include "lib/value_ranges/called_operator.h"

#include <algorithm>
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

}  // namespace

const CalledOperator* OperatorOf(const Node& node) {
  if (node.op != NodeOp::kCallFunction || AtenWord(node.target).empty()) return nullptr;
  // The schemas of aten do not change, and there are a few thousand.
  thread_local std::unordered_map<std::string, CalledOperator> known;
  auto it = known.find(node.target);
  if (it == known.end()) it = known.emplace(node.target, LookUp(node.target)).first;
  return it->second.schema ? &it->second : nullptr;
}

}  // namespace fakeprop
