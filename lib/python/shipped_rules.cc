#include "lib/python/shipped_rules.h"

#include <algorithm>

#include "lib/python/op_rules.h"

namespace fakeprop {
namespace {

constexpr ShippedRules kShipped[] = {
#include "lib/python/shipped_rules.inc"
};

// An operator or a function of the library.
bool CallsPartOf(const Node& node, std::string_view library) {
  constexpr std::string_view kOperators = "torch.ops.";
  std::string_view target = node.target;
  if (target.starts_with(kOperators)) target.remove_prefix(kOperators.size());
  return target.starts_with(library) && target.substr(library.size()).starts_with('.');
}

bool CallsShippedOperator(const Node& node) {
  return std::ranges::any_of(kShipped, [&](const ShippedRules& rules) { return CallsPartOf(node, rules.name); });
}

}  // namespace

std::span<const ShippedRules> AllShippedRules() { return kShipped; }

bool IsShippedLibrary(std::string_view name) {
  return std::ranges::find(kShipped, name, &ShippedRules::name) != std::end(kShipped);
}

bool AddShippedLibrary(std::string_view library) {
  if (!IsShippedLibrary(library)) return false;
  OpRules::Shipped();
  return true;
}

bool CallsShippedOperators(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, CallsShippedOperator) ||
         std::ranges::any_of(graph.subgraphs, [](const Subgraph& sub) { return CallsShippedOperators(*sub.graph); });
}

}  // namespace fakeprop
