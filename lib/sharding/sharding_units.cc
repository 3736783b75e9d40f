#include "lib/sharding/sharding_units.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "lib/meta/value_visit.h"
#include "lib/training/module_pattern.h"

namespace fakeprop {
namespace {

class UnitFinder {
 public:
  UnitFinder(const Graph& graph, const Annotations& annotations, const Timeline& timeline,
      const std::vector<std::string>& patterns)
      : graph_(graph), run_(annotations.graphs[0]), timeline_(timeline), patterns_(patterns) {
    for (const Input& input : graph.inputs)
      if (!input.qualified_name.empty()) qualified_names_[&graph.nodes[input.node]] = input.qualified_name;
  }

  ShardingUnits Find() {
    FindParameters();
    for (size_t i = 0; i < timeline_.steps.size(); ++i) AddStep(static_cast<int32_t>(i));
    return InOrder();
  }

 private:
  // "layers.0" for "layers.0.fc1.weight"; empty for the root.
  std::string_view ModuleOf(const Node& parameter) const {
    const auto known = qualified_names_.find(&parameter);
    const std::string_view name = known == qualified_names_.end() ? std::string_view(parameter.target) : known->second;
    for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
      if (FitsAnyPattern(name.substr(0, dot), patterns_)) return name.substr(0, dot);
    return {};
  }

  void FindParameters() {
    for (size_t i = 0; i < timeline_.blocks.size(); ++i) {
      const MemoryBlock& block = timeline_.blocks[i];
      if (block.category != MemoryCategory::kParameter || !block.maker) continue;
      const std::string_view module = ModuleOf(*block.maker);
      const auto [known, is_new] = by_module_.emplace(module, units_.size());
      if (is_new) units_.push_back({module, {}, {}, {}, false});
      units_[known->second].parameters.push_back(i);
      of_parameter_[block.maker] = static_cast<int32_t>(known->second);
    }
  }

  // The unit whose module has this node. -1 for the root's nodes.
  int32_t UnitAround(const Node& node) const {
    const auto known = by_module_.find(OutermostFit(node.nn_module_stack, patterns_));
    return known == by_module_.end() || known->first.empty() ? -1 : static_cast<int32_t>(known->second);
  }

  void AddStep(int32_t step) {
    const Node* node = timeline_.steps[step].node;
    if (!node || !timeline_.steps[step].is_counted) return;
    const bool is_forward = timeline_.steps[step].role.empty();
    const auto add = [&](int32_t unit) { (is_forward ? units_[unit].forward : units_[unit].backward).Add(step); };
    const int32_t around = UnitAround(*node);
    if (around >= 0) add(around);
    if (by_module_.contains("")) add(static_cast<int32_t>(by_module_[""]));
    for (const Argument& argument : node->arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        const auto used = of_parameter_.find(&graph_.nodes[ref.index]);
        if (used != of_parameter_.end()) add(used->second);
        else if (around >= 0 && is_forward && ComesFromOutside(ref, around)) units_[around].has_input_gradient = true;
      });
  }

  bool ComesFromOutside(NodeRef ref, int32_t unit) const {
    if (UnitAround(graph_.nodes[ref.index]) == unit) return false;
    bool requires_grad = false;
    ForEachTensor(run_.nodes[ref.index].value, [&](const Tensor& t) { requires_grad |= t.RequiresGrad(); });
    return requires_grad;
  }

  ShardingUnits InOrder() {
    std::vector<int32_t> order(units_.size()), place(units_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      if (units_[a].IsRoot() != units_[b].IsRoot()) return units_[a].IsRoot();
      return units_[a].forward.first < units_[b].forward.first;
    });
    ShardingUnits found;
    for (int32_t unit : order) {
      place[unit] = static_cast<int32_t>(found.units.size());
      found.units.push_back(std::move(units_[unit]));
    }
    for (const MemoryBlock& block : timeline_.blocks) {
      const auto unit = of_parameter_.find(block.maker);
      found.unit_of.push_back(unit == of_parameter_.end() ? -1 : place[unit->second]);
    }
    return found;
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const Timeline& timeline_;
  const std::vector<std::string>& patterns_;
  std::unordered_map<const Node*, std::string_view> qualified_names_;
  std::map<std::string_view, size_t> by_module_;
  std::unordered_map<const Node*, int32_t> of_parameter_;
  std::vector<ShardingUnit> units_;
};

}  // namespace

ShardingUnits FindShardingUnits(const Graph& graph, const Annotations& annotations, const Timeline& timeline,
    const std::vector<std::string>& patterns) {
  return UnitFinder(graph, annotations, timeline, patterns).Find();
}

}  // namespace fakeprop
