#include "tools/cli/ops_command.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/base/torch_version.h"
#include "lib/base/utf8.h"
#include "lib/higher_order/higher_order.h"
#include "lib/python/builtins.h"
#include "lib/python/module.h"
#include "lib/rules/rule_file.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/schema_table.h"
#include "lib/torchscript/operations/script_operations.h"
#include "lib/value_ranges/transfers.h"
#include "tools/cli/operator_libraries.h"
#include "tools/cli/table.h"

namespace fakeprop::cli {
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
NodeService ServedBy(const Schema& schema) {
  if (GivenRules().Find(schema)) return {"custom", {}};
  if (const ServedRule* served = FindRule(schema)) return {RuleText(*served), RuleFile(*served->row)};
  if (schema.Has(kHasCompositeImplicit) || schema.Has(kHasCompositeExplicit)) return {"composite", {}};
  if (schema.Has(kHasMeta)) return {"meta kernel", {}};
  return {"none", {}};
}

// A function of Python is one of the tables', or goes to an operator of ATen by its arguments.
NodeService ServedBy(const std::string& target) {
  if (FindBuiltin(target)) return {"builtin", "lib/python/builtins.cc"};
  if (const Schema* schema = FindSchema(OperatorName(target))) return ServedBy(*schema);
  if (!HigherOrderRefusal(target).empty()) return {"none", {}};
  if (FindHigherOrder(target)) return {"higher-order", {}};
  if (GivenRules().Find(std::string_view(target))) return {"custom", {}};
  return {FindPythonFunction(target) ? "python" : "none", {}};
}

NodeService ServedBy(const Module& module) {
  if (GivenRules().Find(module)) return {"custom", {}};
  return {FindModuleClass(module) ? "module" : "none", {}};
}

// What a node calls, and how that is served.
std::pair<std::string, NodeService> CallOf(const Node& node, const Graph& root) {
  if (node.op == NodeOp::kCallMethod)
    return {"Tensor." + node.target, {FindPythonMethod(node.target) ? "python" : "none", {}}};
  if (node.op == NodeOp::kCallModule && node.member < 0) return {node.target, {"graph", {}}};
  if (node.op == NodeOp::kCallModule) {
    const Module& module = root.modules[node.member];
    return {module.class_name, ServedBy(module)};
  }
  const std::string op = OperatorName(node.target);
  if (root.kind == kTorchScriptKind && IsScriptOperation(op.empty() ? node.target : op))
    return {op.empty() ? node.target : op, {"script", "lib/torchscript/operations"}};
  return {op.empty() ? node.target : op, ServedBy(node.target)};
}

struct Calls {
  std::string served;
  size_t count = 0;
};

void CountCalls(const Graph& graph, const Graph& root, std::map<std::string, Calls>& calls) {
  for (const Node& node : graph.nodes) {
    if (node.op != NodeOp::kCallFunction && node.op != NodeOp::kCallMethod && node.op != NodeOp::kCallModule) continue;
    auto [name, served] = CallOf(node, root);
    Calls& entry = calls[name];
    entry.served = std::move(served.by);
    ++entry.count;
  }
  for (const Subgraph& subgraph : graph.subgraphs) CountCalls(*subgraph.graph, root, calls);
}

Cell ServedCell(const std::string& served) { return served == "none" ? Cell(served, Color::kError) : Cell(served); }

// Whether value ranges know the operator: the elements that it returns, the indices that it uses.
std::string ValueRangesText(const Schema& schema) {
  const OperatorRanges known = FindOperatorRanges(AtenWord(schema));
  const bool returns = known.transfer != nullptr, uses = known.find_uses != nullptr;
  return std::string(returns ? "returns" : "") + (returns && uses ? ", " : "") + (uses ? "indices" : "");
}

}  // namespace

NodeService ServiceOf(const Node& node, const Graph& root) { return CallOf(node, root).second; }

std::string ListOperators() {
  Table table({{"operator"}, {"served by"}, {"value ranges"}, {"since"}, {"until"}});
  std::vector<SchemaEntry> entries = AddedSchemas();
  entries.insert(entries.end(), AllSchemas().begin(), AllSchemas().end());
  std::ranges::sort(entries, {}, &SchemaEntry::full_name);
  for (const SchemaEntry& entry : entries) {
    const Schema& schema = *FindSchema(entry.full_name);
    const auto [since, until] = entry.versions;
    table.AddRow({std::string(entry.full_name), ServedCell(ServedBy(schema).by), ValueRangesText(schema),
        since == kOldestTorch ? "" : TorchVersionText(since), until == kNewestTorch ? "" : TorchVersionText(until)});
  }
  return table.Render(0, {});
}

std::string ListOperators(const Graph& graph) {
  std::map<std::string, Calls> calls;
  CountCalls(graph, graph, calls);
  Table table({{"operator"}, {"calls", true}, {"served by"}});
  for (const auto& [name, entry] : calls)
    table.AddRow({Printable(name), std::to_string(entry.count), ServedCell(entry.served)});
  return table.Render(0, {});
}

}  // namespace fakeprop::cli
