#include "tools/ops.h"

#include <map>

#include "lib/base/utf8.h"
#include "lib/graph/schema_table.h"
#include "lib/propagate/builtins.h"
#include "lib/rules/rule_table.h"
#include "tools/table.h"

namespace fakeprop {
namespace {

std::string RuleText(const ServedRule& served) {
  const std::string of(served.functional ? served.functional->full_name : "");
  switch (served.form) {
    case Form::kDirect: return "rule";
    case Form::kInplace: return "rule (in-place of " + of + ")";
    case Form::kOut: return "rule (out of " + of + ")";
    case Form::kCopy: return "rule (copy of " + of + ")";
  }
  return "rule";
}

// In the order in which the propagator and the plug-in try.
std::string ServedBy(const Schema& schema) {
  if (const ServedRule* served = FindRule(schema)) return RuleText(*served);
  if (schema.Has(kHasCompositeImplicit) || schema.Has(kHasCompositeExplicit)) return "composite";
  if (schema.Has(kHasMeta)) return "meta kernel";
  return "none";
}

std::string ServedBy(const std::string& target) {
  if (FindBuiltin(target)) return "builtin";
  if (target.starts_with("torch.ops.higher_order.wrap_with_")) return "region";
  const Schema* schema = FindSchema(OperatorName(target));
  return schema ? ServedBy(*schema) : "none";
}

void CountTargets(const Graph& graph, std::map<std::string, size_t>& counts) {
  for (const Node& node : graph.nodes)
    if (node.op == NodeOp::kCallFunction) ++counts[node.target];
  for (const Subgraph& subgraph : graph.subgraphs) CountTargets(*subgraph.graph, counts);
}

Cell ServedCell(const std::string& served) { return served == "none" ? Cell(served, Color::kError) : Cell(served); }

}  // namespace

std::string ListOperators() {
  Table table({{"operator"}, {"served by"}});
  for (const SchemaEntry& entry : AllSchemas())
    table.AddRow({std::string(entry.full_name), ServedCell(ServedBy(*FindSchema(entry.full_name)))});
  return table.Render(0, {});
}

std::string ListOperators(const Graph& graph) {
  std::map<std::string, size_t> counts;
  CountTargets(graph, counts);
  Table table({{"operator"}, {"calls", true}, {"served by"}});
  for (const auto& [target, count] : counts) {
    const std::string op = OperatorName(target);
    table.AddRow({Printable(op.empty() ? target : op), std::to_string(count), ServedCell(ServedBy(target))});
  }
  return table.Render(0, {});
}

}  // namespace fakeprop
