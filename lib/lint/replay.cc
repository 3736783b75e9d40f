#include "lib/lint/replay.h"

#include <algorithm>
#include <map>

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

// A graph of one node, or of a call and its getitem, with a placeholder for each value that they use.
class Excerpt {
 public:
  explicit Excerpt(const Graph& graph) : graph_(graph) {}

  void Add(int32_t index) {
    Node copy = graph_.nodes[index];
    for (Argument& argument : copy.arguments)
      argument.value = MapLeaves<GraphValue>(
          argument.value, Overloaded{[this](NodeRef ref) -> GraphValue { return NodeRef{places_.at(ref.index)}; },
                              [](const auto& other) -> GraphValue { return other; }});
    places_[index] = static_cast<int32_t>(excerpt_.nodes.size());
    excerpt_.nodes.push_back(std::move(copy));
  }
  void AddInput(int32_t index) {
    if (places_.contains(index)) return;
    const Node& node = graph_.nodes[index];
    places_[index] = static_cast<int32_t>(excerpt_.nodes.size());
    excerpt_.nodes.push_back({.name = node.name, .op = NodeOp::kPlaceholder, .target = node.name});
  }
  const Graph& graph() const { return excerpt_; }

 private:
  const Graph& graph_;
  Graph excerpt_;
  std::map<int32_t, int32_t> places_;
};

bool HasSubgraph(const Graph& graph, int32_t index) {
  bool found = false;
  const auto is_graph = [](const Value& inner) { return inner.Is<GraphRef>(); };
  for (const Argument& argument : graph.nodes[index].arguments)
    ForEachLeaf(argument.value,
        Overloaded{[&](const Value& plain) { found = found || AnyValue(plain, is_graph); }, [](const auto&) {}});
  for (int32_t input : InputsOf(graph.nodes[index])) found = found || graph.nodes[input].op == NodeOp::kGetAttr;
  return found;
}

}  // namespace

std::vector<int32_t> InputsOf(const Node& node) {
  std::vector<int32_t> inputs;
  for (const Argument& argument : node.arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      if (std::find(inputs.begin(), inputs.end(), ref.index) == inputs.end()) inputs.push_back(ref.index);
    });
  return inputs;
}

bool IsGetitem(const Node& node) { return node.target == "_operator.getitem"; }

std::optional<Replayed> ReplayNode(const Graph& graph, int32_t node, const RunOptions& options,
    const std::function<std::optional<InputValue>(int32_t)>& input) {
  std::vector<int32_t> inputs = InputsOf(graph.nodes[node]);
  if (inputs.empty()) return std::nullopt;
  const int32_t call = IsGetitem(graph.nodes[node]) ? inputs[0] : node;
  if (call != node) inputs = InputsOf(graph.nodes[call]);
  if (graph.nodes[call].op != NodeOp::kCallFunction || HasSubgraph(graph, call)) return std::nullopt;
  Excerpt excerpt(graph);
  std::vector<InputValue> values;
  for (int32_t index : inputs) {
    std::optional<InputValue> value = input(index);
    if (!value) return std::nullopt;
    excerpt.AddInput(index);
    values.push_back(std::move(*value));
  }
  excerpt.Add(call);
  if (call != node) excerpt.Add(node);
  Annotations annotations = RunGraph(excerpt.graph(), values, options);
  if (!annotations.diagnostics.empty()) return std::nullopt;
  return Replayed{annotations.graphs[0].nodes.back().value, annotations.objects};
}

}  // namespace fakeprop
