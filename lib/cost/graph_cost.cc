#include "lib/cost/graph_cost.h"

#include <algorithm>
#include <map>

#include "lib/cost/flops.h"
#include "lib/cost/traffic.h"
#include "lib/diag/python_trace.h"
#include "lib/meta/dtype.h"
#include "lib/schema/functional_name.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";

// Calls that run their subgraph once, as if its nodes stood there.
constexpr std::string_view kRegions[] = {"wrap_with_set_grad_enabled", "wrap_with_autocast", "wrap",
    "wrap_activation_checkpoint", "tag_activation_checkpoint", "invoke_subgraph", "strict_mode", "hints_wrapper"};

std::string ShortOp(std::string_view target) {
  for (std::string_view prefix : {"torch.ops.", "_operator."})
    if (target.starts_with(prefix)) target.remove_prefix(prefix.size());
  if (target.ends_with(".default")) target.remove_suffix(8);
  return std::string(target);
}

ScalarType ComputedIn(const CountedCall& call) {
  for (const auto* tensors : {&call.tensors(), &call.results()})
    for (const Tensor* t : *tensors)
      if (IsFloatOrComplex(t->meta.dtype)) return t->meta.dtype;
  return ScalarType::Float;
}

int64_t HintOf(Dim dim) { return dim.Hint().value_or(0); }

class CostCounter {
 public:
  CostCounter(const Graph& graph, const Annotations& annotations, const FixedSymbols& fixed)
      : graph_(graph), annotations_(annotations), fixed_(fixed) {}

  GraphCost Count() {
    CountGraph(graph_, annotations_.graphs[0], result_.nodes);
    Sum();
    return std::move(result_);
  }

 private:
  void CountGraph(const Graph& graph, const GraphAnnotations& run, std::vector<NodeCost>& nodes) const {
    const NodeValues values(graph, run);
    for (const NodeAnnotation& annotation : run.nodes) {
      const NodeOp op = annotation.node->op;
      if (op == NodeOp::kPlaceholder || op == NodeOp::kGetAttr || op == NodeOp::kOutput) continue;
      if (annotation.node->target.starts_with(kHigherOrder)) CountHigherOrder(graph, run, annotation, values, nodes);
      else CountNode(run, annotation, values, nodes);
    }
  }

  NodeCost NewCost(const GraphAnnotations& run, const NodeAnnotation& annotation) const {
    NodeCost cost;
    cost.node = annotation.node;
    cost.subgraph = run.path;
    cost.op = ShortOp(annotation.node->target);
    cost.module = InnermostModule(annotation.node->nn_module_stack);
    return cost;
  }

  void AddUncounted(NodeCost cost, std::string why, std::vector<NodeCost>& nodes) const {
    cost.is_counted = false;
    cost.why = std::move(why);
    nodes.push_back(std::move(cost));
  }

  void CountNode(const GraphAnnotations& run, const NodeAnnotation& annotation, const NodeValues& values,
      std::vector<NodeCost>& nodes) const {
    const Node& node = *annotation.node;
    NodeCost cost = NewCost(run, annotation);
    const Schema* schema = FindSchema(OperatorName(node.target));
    if (!schema) {
      // Items of results, sizes and numbers take no work.
      const bool is_free =
          node.target == "_operator.getitem" || annotation.value.IsNumber() || node.target.starts_with("_operator.");
      if (!is_free) AddUncounted(std::move(cost), "it is no operator of a schema", nodes);
      return;
    }
    const CountedCall call(node, *schema, annotation.value, values);
    const std::optional<Dim> flops = CountFlops(call);
    const Traffic traffic = CountTraffic(call);
    cost.dtype = ComputedIn(call);
    cost.cost = {fixed_.Put(flops.value_or(0)), fixed_.Put(traffic.read), fixed_.Put(traffic.written)};
    cost.in_flop_counter = IsInFlopCounter(FunctionalName(schema->name));
    if (!flops) return AddUncounted(std::move(cost), "there is no formula for its operator", nodes);
    if (cost.cost.flops.TryNumber() == 0 && cost.cost.bytes_read.TryNumber() == 0 &&
        cost.cost.bytes_written.TryNumber() == 0)
      return;
    nodes.push_back(std::move(cost));
  }

  // The run of the subgraph that this node called, the first or a later one.
  const GraphAnnotations* RunOf(const std::string& path, const Node& caller) const {
    const GraphAnnotations* first = nullptr;
    for (const GraphAnnotations& run : annotations_.graphs) {
      if (run.path != path) continue;
      if (run.call == caller.name || run.call.ends_with("." + caller.name)) return &run;
      if (!first) first = &run;
    }
    return first;
  }

  void CountHigherOrder(const Graph& graph, const GraphAnnotations& run, const NodeAnnotation& annotation,
      const NodeValues& values, std::vector<NodeCost>& nodes) const {
    const std::string_view name = std::string_view(annotation.node->target).substr(kHigherOrder.size());
    const std::vector<std::vector<NodeCost>> inner = CountSubgraphs(graph, run, annotation, values);
    const auto append = [&](const std::vector<NodeCost>& more) { nodes.insert(nodes.end(), more.begin(), more.end()); };
    if (std::find(std::begin(kRegions), std::end(kRegions), name) != std::end(kRegions) && inner.size() == 1)
      return append(inner[0]);
    if (name == "cond" && inner.size() == 2)
      return append(HintedFlops(inner[0]) >= HintedFlops(inner[1]) ? inner[0] : inner[1]);
    AddUncounted(NewCost(run, annotation), "how often its graph runs depends on data, or is not known", nodes);
  }

  static int64_t HintedFlops(const std::vector<NodeCost>& nodes) {
    int64_t flops = 0;
    for (const NodeCost& node : nodes) flops += HintOf(node.cost.flops);
    return flops;
  }

  std::vector<std::vector<NodeCost>> CountSubgraphs(const Graph& graph, const GraphAnnotations& run,
      const NodeAnnotation& annotation, const NodeValues& values) const {
    std::vector<std::vector<NodeCost>> counted;
    for (const Argument& argument : annotation.node->arguments) {
      const Value value = values.Fill(argument.value);
      const GraphRef* ref = value.TryGet<GraphRef>();
      if (!ref) continue;
      const Subgraph& subgraph = graph.subgraphs[ref->index];
      const std::string path = run.path.empty() ? subgraph.name : run.path + "." + subgraph.name;
      counted.emplace_back();
      if (const GraphAnnotations* inner = RunOf(path, *annotation.node))
        CountGraph(*subgraph.graph, *inner, counted.back());
    }
    return counted;
  }

  void Sum() {
    std::map<std::string, CostGroup> modules, operators;
    const auto add = [](std::map<std::string, CostGroup>& groups, const std::string& name, const Cost& cost) {
      CostGroup& group = groups[name];
      group.name = name;
      ++group.nodes;
      group.cost += cost;
    };
    for (const NodeCost& node : result_.nodes) {
      result_.total += node.cost;
      add(operators, node.op, node.cost);
      for (size_t end = 0; !node.module.empty() && end != std::string::npos;) {
        end = node.module.find('.', end + (end > 0));
        add(modules, node.module.substr(0, end), node.cost);
      }
    }
    for (auto& [name, group] : modules) result_.modules.push_back(std::move(group));
    for (auto& [name, group] : operators) result_.operators.push_back(std::move(group));
  }

  const Graph& graph_;
  const Annotations& annotations_;
  const FixedSymbols& fixed_;
  GraphCost result_;
};

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  return *this;
}

std::vector<const NodeCost*> GraphCost::Uncounted() const {
  std::vector<const NodeCost*> uncounted;
  for (const NodeCost& node : nodes)
    if (!node.is_counted) uncounted.push_back(&node);
  return uncounted;
}

GraphCost CountCost(const Graph& graph, const Annotations& annotations, const FixedSymbols& fixed) {
  return CostCounter(graph, annotations, fixed).Count();
}

}  // namespace fakeprop
