#include "lib/torchscript/script_captures.h"

#include <unordered_set>

namespace fakeprop {

const std::vector<int32_t>& ScriptCaptures::Of(const ScriptNode& node) {
  auto [it, is_new] = found_.try_emplace(&node);
  if (!is_new) return it->second;
  std::unordered_set<int32_t> defined, seen;
  std::vector<int32_t> captured;
  const auto use = [&](const std::vector<int32_t>& values) {
    for (int32_t value : values)
      if (!defined.contains(value) && seen.insert(value).second) captured.push_back(value);
  };
  for (const ScriptBlock& block : node.blocks) {
    defined.insert(block.inputs.begin(), block.inputs.end());
    for (const ScriptNode& inner : block.nodes) {
      use(inner.inputs);
      if (!inner.blocks.empty()) use(Of(inner));
      defined.insert(inner.outputs.begin(), inner.outputs.end());
    }
    use(block.outputs);
  }
  return found_[&node] = std::move(captured);
}

}  // namespace fakeprop
