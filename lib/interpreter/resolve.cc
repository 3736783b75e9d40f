#include "lib/interpreter/resolve.h"

#include "lib/interpreter/run_graph.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/schema/schema_table.h"
#include "lib/torchscript/operations/script.h"

namespace fakeprop {
namespace {

ArgumentSource SourceOf(const GraphValue& value) {
  const NodeRef* ref = value.TryGet<NodeRef>();
  return {.written = &value, .plain = value.TryPlain(), .node = ref ? ref->index : -1};
}

std::vector<ArgumentSource> SourcesOf(const Schema& schema, const std::vector<Argument>& given) {
  std::vector<std::string_view> names;
  for (const Argument& argument : given) names.push_back(argument.name);
  std::vector<ArgumentSource> sources;
  for (const int position : MatchArguments(schema, names))
    sources.push_back(position >= 0 ? SourceOf(given[position].value)
                                    : ArgumentSource{.plain = &*schema.arguments[sources.size()].default_value});
  return sources;
}

void ResolveOperator(const Node& node, const Schema& schema, int torch, ResolvedNode& resolved) {
  resolved.service = Service::kOperator;
  resolved.schema = &schema;
  resolved.rule = FindRule(schema);
  resolved.grad = FindGradRule(schema, resolved.rule, torch);
  try {
    resolved.arguments = SourcesOf(schema, node.arguments);
  } catch (const OpError& e) {
    resolved.error = e;
  }
}

bool ResolveHigherOrder(HigherOrder handler, ResolvedNode& resolved) {
  resolved.higher_order = handler;
  if (handler) resolved.service = Service::kHigherOrder;
  return handler;
}

// Python functions on tensors, methods and modules. Functions that only need numbers are builtins, which are faster.
void ResolvePython(const Node& node, const Graph& root, ResolvedNode& resolved) {
  if (node.op == NodeOp::kCallFunction) resolved.python = FindPythonFunction(node.target);
  if (node.op == NodeOp::kCallMethod) resolved.python = FindPythonMethod(node.target);
  if (node.op == NodeOp::kCallModule && node.member >= 0)
    resolved.module_class = FindModuleClass(root.modules[node.member]);
  if (resolved.python || resolved.module_class) resolved.service = Service::kPython;
  else if (node.op == NodeOp::kCallModule && node.member < 0) ResolveHigherOrder(CallModuleGraph, resolved);
}

// TorchScript's own operations come before operators of the same name. The schema is kept, because it says which
// arguments are written.
void ResolveScript(const Node& node, ResolvedNode& resolved) {
  for (const Argument& argument : node.arguments) resolved.arguments.push_back(SourceOf(argument.value));
  const std::string op = OperatorName(node.target);
  HigherOrder handler = FindScriptHandler(op.empty() ? node.target : op);
  if (!handler) {
    resolved.schema = op.empty() ? nullptr : FindSchema(op);
    if (resolved.schema) handler = RunScriptOperator;
  }
  if (ResolveHigherOrder(handler, resolved)) return;
  resolved.builtin = FindBuiltin(node.target);
  if (resolved.builtin) resolved.service = Service::kBuiltin;
}

ResolvedNode ResolveNode(const Node& node, const Graph& graph, const Graph& root) {
  ResolvedNode resolved;
  if (node.op == NodeOp::kCallFunction && graph.kind == kTorchScriptKind) {
    ResolveScript(node, resolved);
    return resolved;
  }
  if (node.op == NodeOp::kCallFunction) {
    const std::string op = OperatorName(node.target);
    if (const Schema* schema = op.empty() ? nullptr : FindSchema(op)) {
      ResolveOperator(node, *schema, root.torch, resolved);
      return resolved;
    }
  }
  for (const Argument& argument : node.arguments) resolved.arguments.push_back(SourceOf(argument.value));
  switch (node.op) {
    case NodeOp::kPlaceholder: resolved.service = Service::kPlaceholder; break;
    case NodeOp::kGetAttr: resolved.service = Service::kGetAttr; break;
    case NodeOp::kOutput: resolved.service = Service::kOutput; break;
    case NodeOp::kCallFunction:
      resolved.builtin = graph.kind == kFxKind ? Builtin() : FindBuiltin(node.target);
      if (resolved.builtin) resolved.service = Service::kBuiltin;
      else if (!ResolveHigherOrder(FindHigherOrder(node.target), resolved)) ResolvePython(node, root, resolved);
      break;
    case NodeOp::kCallMethod:
    case NodeOp::kCallModule: ResolvePython(node, root, resolved); break;
  }
  return resolved;
}

std::vector<ResolvedNode> ResolveNodes(const Graph& graph, const Graph& root) {
  std::vector<ResolvedNode> resolved;
  resolved.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) resolved.push_back(ResolveNode(node, graph, root));
  return resolved;
}

}  // namespace

const std::vector<ResolvedNode>& ResolvedGraphs::Of(const Graph& graph, const Graph& root) {
  const std::lock_guard lock(mutex_);
  const Key key{&graph, AddedSchemaCount()};
  auto it = by_graph_.find(key);
  if (it == by_graph_.end()) it = by_graph_.emplace(key, ResolveNodes(graph, root)).first;
  return it->second;
}

std::shared_ptr<ResolvedGraphs> NewResolvedGraphs() { return std::make_shared<ResolvedGraphs>(); }

}  // namespace fakeprop
