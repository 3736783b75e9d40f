#include "lib/graph/node_text.h"

#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// An operator's text is its target, without quotes or brackets.
Value Word(std::string text) { return Operator{std::move(text)}; }

std::string ArgumentText(const Graph& graph, const GraphValue& value) {
  const Value filled = Fill(value, Overloaded{[&](NodeRef ref) { return Word("%" + graph.nodes[ref.index].name); },
                                       [](const InlineSize& size) { return Word(size.spelling); }});
  return ToString(MapValues(filled, [&](const Value& inner) {
    const GraphRef* ref = inner.TryGet<GraphRef>();
    return ref ? Word(graph.subgraphs[ref->index].name) : inner;
  }));
}

}  // namespace

std::string CallText(const Graph& graph, const Node& node) {
  const std::string op = OperatorName(node.target);
  std::string out = (op.empty() ? node.target : op) + "(";
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const Argument& argument = node.arguments[i];
    if (i) out += ", ";
    const bool named = !argument.name.empty() && !argument.value.Is<NodeRef>();
    if (named) out += std::string(argument.name) + "=";
    out += ArgumentText(graph, argument.value);
  }
  return out + ")";
}

std::string NodeText(const Graph& graph, const Node& node) { return "%" + node.name + " = " + CallText(graph, node); }

}  // namespace fakeprop
