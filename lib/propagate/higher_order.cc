#include "lib/propagate/higher_order.h"

#include "lib/propagate/higher_order_tables.h"

namespace fakeprop {

HigherOrderCall::HigherOrderCall(const Graph& graph, const Node& node, std::span<const Value> arguments)
    : graph_(graph), node_(node) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = node.arguments[i].name;
    if (name.empty()) positional_.push_back(arguments[i]);
    else keywords_.emplace_back(name, arguments[i]);
  }
}

std::span<const Value> HigherOrderCall::From(size_t first) const {
  const std::span<const Value> all = positional_;
  return first < all.size() ? all.subspan(first) : std::span<const Value>();
}

const Value& HigherOrderCall::At(size_t i, std::string_view what) const {
  if (i < size()) return positional_[i];
  Fail(ErrorClass::kTypeError, std::string(Name()) + " takes " + std::string(what) + " as argument " + std::to_string(i) +
                                   ", but has " + std::to_string(size()) + " arguments");
}

const Value* HigherOrderCall::Keyword(std::string_view name) const {
  for (const auto& [key, value] : keywords_)
    if (key == name) return &value;
  return nullptr;
}

const Subgraph& HigherOrderCall::GraphAt(size_t i) const {
  const Value& value = At(i, "a graph");
  if (const GraphRef* ref = value.TryGet<GraphRef>()) return graph_.subgraphs[ref->index];
  Fail(ErrorClass::kTypeError,
       "argument " + std::to_string(i) + " of " + std::string(Name()) + " has to be a graph but is " + ToString(value));
}

std::string_view HigherOrderCall::Name() const {
  std::string_view target = node_.target;
  return target.starts_with(kHigherOrderPrefix) ? target.substr(kHigherOrderPrefix.size()) : target;
}

HigherOrder FindHigherOrder(std::string_view target) {
  if (!target.starts_with(kHigherOrderPrefix)) return nullptr;
  target.remove_prefix(kHigherOrderPrefix.size());
  for (std::span<const HigherOrderRow> table : {RegionRows()})
    for (const HigherOrderRow& row : table)
      if (row.name == target) return row.handler;
  return nullptr;
}

}  // namespace fakeprop
