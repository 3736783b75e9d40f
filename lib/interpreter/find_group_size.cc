#include "lib/interpreter/find_group_size.h"

#include <set>

#include "lib/graph/graph.h"
#include "lib/schema/schema.h"

namespace fakeprop {
namespace {

const Value* ConstantOf(const ResolvedNode& node, std::string_view name) {
  const int i = node.schema->FindArgument(name);
  return i >= 0 && i < std::ssize(node.arguments) ? node.arguments[i].plain : nullptr;
}

void Collect(ResolvedGraphs& resolved, const Graph& graph, const Graph& root, const std::string& group,
    std::set<int64_t>& sizes) {
  for (const ResolvedNode& node : resolved.Of(graph, root)) {
    if (node.service != Service::kOperator) continue;
    const Value* name = ConstantOf(node, "group_name");
    const Value* size = name ? ConstantOf(node, "group_size") : nullptr;
    const Dim* number = size && ToString(*name) == group ? size->TryGet<Dim>() : nullptr;
    if (number && number->TryNumber()) sizes.insert(*number->TryNumber());
  }
  for (const Subgraph& inner : graph.subgraphs) Collect(resolved, *inner.graph, root, group, sizes);
}

}  // namespace

std::optional<int64_t> FindGroupSize(ResolvedGraphs& resolved, const Graph& root, const Value& group) {
  std::set<int64_t> sizes;
  Collect(resolved, root, root, ToString(group), sizes);
  return sizes.size() == 1 ? std::optional(*sizes.begin()) : std::nullopt;
}

}  // namespace fakeprop
