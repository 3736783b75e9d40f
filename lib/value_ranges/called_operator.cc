#include "lib/value_ranges/called_operator.h"

#include <algorithm>
#include <array>
#include <cstdint>
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

bool IsOperator(const Node& node) {
  const std::string_view target = node.target;
  return node.op == NodeOp::kCallFunction && target.starts_with(kPrefix) &&
         !target.substr(kPrefix.size()).starts_with("higher_order.");
}

}  // namespace

const CalledOperator* OperatorOf(const Node& node) {
  if (!IsOperator(node)) return nullptr;
  // Schemas never change once there are any, but more can be added.
  thread_local std::unordered_map<std::string, const CalledOperator*> known;
  thread_local size_t added = 0;
  if (const size_t now = AddedSchemaCount(); now != added) known.clear(), added = now;
  const auto [it, is_new] = known.try_emplace(node.target, nullptr);
  if (!is_new) return it->second;
  const std::string name = OperatorName(node.target);
  const Schema* schema = name.empty() ? nullptr : FindSchema(name);
  if (schema) it->second = &OperatorOf(*schema);
  return it->second;
}

const CalledOperator* OperatorOf(const NodeAnnotation& node) {
  return node.schema ? &OperatorOf(*node.schema) : OperatorOf(*node.node);
}

const CalledOperator& OperatorOf(const Schema& schema) {
  thread_local std::unordered_map<const Schema*, CalledOperator> known;
  // A graph calls few operators. Where each of them has a place of its own here, none is hashed twice.
  thread_local std::array<const CalledOperator*, 256> recent{};
  const CalledOperator*& called = recent[reinterpret_cast<uintptr_t>(&schema) / sizeof schema % recent.size()];
  if (called && called->schema == &schema) return *called;
  const auto it = known.find(&schema);
  called = it != known.end() ? &it->second : &known.emplace(&schema, LookUp(schema)).first->second;
  return *called;
}

}  // namespace fakeprop
