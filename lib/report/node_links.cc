#include "lib/report/node_links.h"

#include <algorithm>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

void AddNodes(const GraphValue& value, std::vector<int32_t>& nodes) {
  ForEachNode(value, [&](NodeRef ref) {
    if (std::find(nodes.begin(), nodes.end(), ref.index) == nodes.end()) nodes.push_back(ref.index);
  });
}

bool EndsInUnderscore(std::string_view name) { return name.ends_with('_') && !name.ends_with("__"); }

// In Python a name tells: `x.add_(y)`, `operator.iadd(x, y)`, `x[0] = y`.
bool WritesFirst(const Node& node) {
  if (node.op == NodeOp::kCallMethod) return EndsInUnderscore(node.target);
  return node.target.starts_with("_operator.i") && node.target != "_operator.index" && node.target != "_operator.inv" &&
         node.target != "_operator.invert" && node.target != "_operator.is_" && node.target != "_operator.is_not";
}

bool Writes(const Schema& schema, const Argument& argument, size_t position) {
  const int index = argument.name.empty() ? static_cast<int>(position) : schema.FindArgument(argument.name);
  return index >= 0 && index < static_cast<int>(schema.arguments.size()) && schema.arguments[index].is_write;
}

}  // namespace

std::vector<int32_t> InputNodes(const Node& node) {
  std::vector<int32_t> nodes;
  for (const Argument& argument : node.arguments) AddNodes(argument.value, nodes);
  return nodes;
}

std::vector<int32_t> WrittenNodes(const Node& node) {
  std::vector<int32_t> nodes;
  const std::string op = OperatorName(node.target);
  const Schema* schema = op.empty() ? nullptr : FindSchema(op);
  for (size_t i = 0; i < node.arguments.size(); ++i)
    if (schema ? Writes(*schema, node.arguments[i], i) : i == 0 && WritesFirst(node))
      AddNodes(node.arguments[i].value, nodes);
  return nodes;
}

}  // namespace fakeprop
