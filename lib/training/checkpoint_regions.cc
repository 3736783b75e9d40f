#include "lib/training/checkpoint_regions.h"

#include "lib/training/module_pattern.h"

namespace fakeprop {

std::vector<CheckpointRegion> FindCheckpointRegions(const Graph& graph, const std::vector<std::string>& patterns) {
  std::vector<CheckpointRegion> regions;
  std::string_view open;  // the module of the call that the last node was in
  for (size_t i = 0; !patterns.empty() && i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op == NodeOp::kPlaceholder || node.op == NodeOp::kGetAttr || node.op == NodeOp::kOutput) continue;
    // Readers make the nodes that take items out of lists; these have no stack.
    if (!node.nn_module_stack.empty()) {
      const std::string_view module = OutermostFit(node.nn_module_stack, patterns);
      if (!module.empty() && module != open) regions.push_back({module, {}});
      open = module;
    }
    if (!open.empty()) regions.back().nodes.push_back(static_cast<int32_t>(i));
  }
  return regions;
}

}  // namespace fakeprop
