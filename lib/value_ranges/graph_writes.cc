#include "lib/value_ranges/graph_writes.h"

#include <algorithm>

#include "lib/schema/schema_table.h"
#include "lib/value_ranges/transfers.h"

namespace fakeprop {
namespace {

// Python's own operators on numbers write nothing.
bool IsPlainPython(const Node& node) {
  return node.target.starts_with("_operator.") && !node.target.starts_with("_operator.i") &&
         node.target != "_operator.setitem";
}

}  // namespace

const Schema* SchemaOf(const Node& node) {
  if (node.op != NodeOp::kCallFunction) return nullptr;
  const std::string name = OperatorName(node.target);
  return name.empty() ? nullptr : FindSchema(name);
}

// Operators of aten that write end with `_` or have `out`.
bool MayWrite(const Node& node) {
  if (node.op == NodeOp::kPlaceholder || node.op == NodeOp::kGetAttr || node.op == NodeOp::kOutput) return false;
  const std::string_view word = AtenWord(node.target);
  if (word.empty()) return node.target != "_operator.getitem";
  return (word.ends_with('_') && !word.ends_with("__")) || node.target.ends_with("out");
}

bool IsUnknownWriter(const Node& node) {
  if (node.target.find("triton") != std::string::npos) return true;
  if (node.target.starts_with("torch.ops.higher_order.") || IsPlainPython(node)) return false;
  return !node.target.starts_with("torch.sym_") && !node.target.starts_with("math.");
}

bool HasWriters(const Graph& graph) {
  const auto writes = [](const Node& node) {
    if (!MayWrite(node)) return false;
    const Schema* schema = SchemaOf(node);
    return schema ? !WrittenArguments(node.arguments, *schema).empty() : IsUnknownWriter(node);
  };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), writes) ||
         std::any_of(graph.subgraphs.begin(), graph.subgraphs.end(),
             [](const Subgraph& subgraph) { return HasWriters(*subgraph.graph); });
}

std::vector<size_t> WrittenArguments(std::span<const Argument> arguments, const Schema& schema) {
  std::vector<size_t> written;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i].name;
    const int position = name.empty() ? static_cast<int>(i) : schema.FindArgument(name);
    const bool is_known = position >= 0 && position < static_cast<int>(schema.arguments.size());
    if (is_known && schema.arguments[position].is_write) written.push_back(i);
  }
  return written;
}

}  // namespace fakeprop
