#include "lib/higher_order/higher_order.h"

#include "lib/higher_order/higher_order_tables.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

std::vector<GivenArgument> AsArguments(std::span<const Value> positional, const Keywords& keywords) {
  std::vector<GivenArgument> arguments;
  for (const Value& value : positional) arguments.push_back({{}, value});
  for (const auto& [name, value] : keywords) arguments.push_back({name, value});
  return arguments;
}

}  // namespace

HigherOrderCall::HigherOrderCall(
    HigherOrderHost& host, const Graph& graph, const Node& node, std::span<const Value> arguments)
    : host_(host), graph_(graph), node_(node), target_(node.target) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = node.arguments[i].name;
    if (name.empty()) positional_.push_back(arguments[i]);
    else keywords_.emplace_back(name, arguments[i]);
  }
}

HigherOrderCall::HigherOrderCall(
    const HigherOrderCall& outer, std::string_view target, std::span<const Value> positional, Keywords keywords)
    : host_(outer.host_),
      graph_(outer.graph_),
      node_(outer.node_),
      target_(target),
      positional_(positional.begin(), positional.end()),
      keywords_(std::move(keywords)) {}

std::string HigherOrderCall::Name() const {
  return target_.starts_with(kHigherOrderPrefix) ? target_.substr(kHigherOrderPrefix.size()) : target_;
}

std::span<const Value> HigherOrderCall::From(size_t first) const {
  const std::span<const Value> all = positional_;
  return first < all.size() ? all.subspan(first) : std::span<const Value>();
}

const Value* HigherOrderCall::Keyword(std::string_view name) const {
  for (const auto& [key, value] : keywords_)
    if (key == name) return &value;
  return nullptr;
}

const Value& HigherOrderCall::At(size_t i, std::string_view what) const {
  if (i < size()) return positional_[i];
  Fail(ErrorClass::kTypeError, Name() + " takes " + std::string(what) + " as argument " + std::to_string(i) +
                                   ", but has " + std::to_string(size()) + " arguments");
}

const Subgraph& HigherOrderCall::AsGraph(const Value& value) const {
  if (const GraphRef* ref = value.TryGet<GraphRef>()) return graph_.subgraphs[ref->index];
  Fail(ErrorClass::kTypeError, Name() + " takes a graph where it was given " + ToString(value));
}

std::vector<Value> HigherOrderCall::ItemsAt(size_t i, std::string_view what) const {
  const Value& value = At(i, what);
  if (const List* list = value.TryList()) return list->items;
  Fail(ErrorClass::kTypeError,
      Name() + " takes " + std::string(what) + " as a list where it was given " + ToString(value));
}

Tensor& HigherOrderCall::TensorAt(size_t i, std::string_view what) const {
  const Value& value = At(i, what);
  if (Tensor* t = value.TryTensor()) return *t;
  Fail(ErrorClass::kTypeError,
      Name() + " takes " + std::string(what) + " as a tensor where it was given " + ToString(value));
}

Value HigherOrderCall::CallTarget(
    const std::string& target, std::span<const Value> positional, const Keywords& keywords) {
  if (HigherOrder handler = FindHigherOrder(target)) {
    HigherOrderCall inner(*this, target, positional, keywords);
    return handler(inner);
  }
  const std::string op = OperatorName(target);
  return CallOperator(op.empty() ? target : op, positional, keywords);
}

Value HigherOrderCall::CallOperator(
    std::string_view name, std::span<const Value> positional, const Keywords& keywords) {
  const Schema* schema = FindSchema(name);
  if (!schema) Fail(ErrorClass::kUnsupportedOperator, "no rule, kernel or decomposition serves " + std::string(name));
  const std::vector<GivenArgument> arguments = AsArguments(positional, keywords);
  return host_.operators().CallOperator(*schema, BindArguments(*schema, arguments));
}

Value Tuple(std::vector<Value> items) {
  List list;
  list.items = std::move(items);
  list.is_tuple = true;
  return list;
}

HigherOrder FindHigherOrder(std::string_view target) {
  if (target.starts_with(kPredispatchPrefix)) return FindVmap(target.substr(kPredispatchPrefix.size()));
  if (!target.starts_with(kHigherOrderPrefix)) return nullptr;
  target.remove_prefix(kHigherOrderPrefix.size());
  for (std::span<const HigherOrderRow> table :
      {RegionRows(), ControlFlowRows(), WrapperRows(), FunctionalizedRows(), FlexAttentionRows(), InvokeSubgraphRows()})
    for (const HigherOrderRow& row : table)
      if (row.name == target) return row.handler;
  return FindRefusal(target).empty() ? nullptr : Refuse;
}

std::string_view HigherOrderRefusal(std::string_view target) {
  if (!target.starts_with(kHigherOrderPrefix)) return {};
  return FindRefusal(target.substr(kHigherOrderPrefix.size()));
}

}  // namespace fakeprop
