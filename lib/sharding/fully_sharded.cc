#include "lib/sharding/fully_sharded.h"

#include <algorithm>
#include <map>

#include "lib/training/module_pattern.h"

namespace fakeprop {
namespace {

// The steps from the first to the last that need a unit. Empty: first > last.
struct StepRange {
  int32_t first = INT32_MAX;
  int32_t last = -1;

  bool IsEmpty() const { return last < first; }
  void Add(int32_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

// Parameters that are gathered together: those of a module, or all that are in no such module.
struct Unit {
  std::vector<size_t> parameters;  // blocks
  StepRange forward, backward;
  Dim bytes = 0;
  bool is_root = false;
};

class StateDivider {
 public:
  StateDivider(const Graph& graph, ShardedStep step, const FullyShardedOptions& options)
      : graph_(graph),
        options_(options),
        patterns_(options.units.empty() ? NumberedModules() : options.units),
        result_(std::move(step)),
        original_blocks_(result_.timeline.blocks.size()) {}

  ShardedStep Divide() {
    for (const Input& input : graph_.inputs) qualified_names_[&graph_.nodes[input.node]] = input.qualified_name;
    FindUnits();
    FindRanges();
    DivideOptimizer();
    for (auto& [name, unit] : units_) DivideUnit(unit);
    return std::move(result_);
  }

 private:
  std::vector<MemoryBlock>& blocks() { return result_.timeline.blocks; }

  // "layers.0" for "layers.0.fc1.weight"; empty for the root.
  std::string UnitOf(const Node& parameter) const {
    const auto known = qualified_names_.find(&parameter);
    const std::string& name = known == qualified_names_.end() ? parameter.target : known->second;
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      if (FitsAnyPattern(std::string_view(name).substr(0, dot), patterns_)) return name.substr(0, dot);
    return "";
  }

  void FindUnits() {
    for (size_t i = 0; i < original_blocks_; ++i) {
      if (blocks()[i].category != MemoryCategory::kParameter || !blocks()[i].maker) continue;
      const std::string name = UnitOf(*blocks()[i].maker);
      Unit& unit = units_[name];
      unit.is_root = name.empty();
      unit.parameters.push_back(i);
      unit.bytes += blocks()[i].bytes;
      unit_of_[blocks()[i].maker] = &unit;
    }
  }

  void FindRanges() {
    for (size_t i = 0; i < result_.timeline.steps.size(); ++i) {
      const MemoryStep& step = result_.timeline.steps[i];
      if (!step.node || step.node->op == NodeOp::kPlaceholder) continue;
      for (const Argument& argument : step.node->arguments)
        ForEachNode(argument.value, [&](NodeRef ref) {
          const auto unit = unit_of_.find(&graph_.nodes[ref.index]);
          if (unit == unit_of_.end()) return;
          (step.role.empty() ? unit->second->forward : unit->second->backward).Add(static_cast<int32_t>(i));
        });
    }
  }

  void DivideOptimizer() {
    for (MemoryBlock& block : blocks())
      if (block.category == MemoryCategory::kOptimizerState || block.role == "update of")
        block.bytes = block.role == "step of" ? block.bytes : ShareOf(block.bytes, options_.ranks);
  }

  void DivideUnit(Unit& unit) {
    AddSent("reduce-scatter of gradients", RingBytes(GradientBytes(unit), options_.ranks), result_.sent);
    if (options_.stage < 3) AddSent("all-gather of parameters", RingBytes(unit.bytes, options_.ranks), result_.sent);
    if (options_.stage >= 2) DivideGradients(unit);
    if (options_.stage >= 3) DivideParameters(unit);
  }

  bool IsGradientOf(const MemoryBlock& block, const Unit& unit) const {
    const auto of = unit_of_.find(block.maker);
    return block.category == MemoryCategory::kGradient && of != unit_of_.end() && of->second == &unit;
  }

  Dim GradientBytes(const Unit& unit) {
    Dim bytes = 0;
    for (size_t i = 0; i < original_blocks_; ++i)
      if (IsGradientOf(blocks()[i], unit) && blocks()[i].first > 0) bytes += blocks()[i].bytes;
    return bytes;
  }

  // A unit's gradients are whole until its backward pass has ended. Then a copy of all goes into the reduce-scatter.
  void DivideGradients(Unit& unit) {
    const Dim whole = GradientBytes(unit);
    for (size_t i = 0; i < original_blocks_; ++i) {
      if (!IsGradientOf(blocks()[i], unit)) continue;
      MemoryBlock share = blocks()[i];
      share.bytes = ShareOf(share.bytes, options_.ranks);
      if (share.first == 0) {  // of earlier batches
        blocks()[i] = share;
        continue;
      }
      blocks()[i].last = std::max(blocks()[i].first, unit.backward.last);
      share.first = blocks()[i].last;
      blocks().push_back(share);
    }
    if (!unit.backward.IsEmpty())
      AddTransient(unit, whole, unit.backward.last, unit.backward.last, "reduce-scatter of");
  }

  void DivideParameters(Unit& unit) {
    for (size_t i : unit.parameters) blocks()[i].bytes = ShareOf(blocks()[i].bytes, options_.ranks);
    if (unit.forward.IsEmpty()) return;
    if (unit.is_root) {
      // It is gathered once: its parts are needed from the beginning to the end.
      StepRange all = unit.forward;
      if (!unit.backward.IsEmpty()) all.Add(unit.backward.last);
      return Gather(unit, all, all.first);
    }
    Gather(unit, unit.forward, PrefetchAt(unit.forward, &Unit::forward));
    if (!unit.backward.IsEmpty()) Gather(unit, unit.backward, PrefetchAt(unit.backward, &Unit::backward));
  }

  // A unit is gathered while the one before it runs.
  int32_t PrefetchAt(const StepRange& range, StepRange Unit::*pass) const {
    int32_t before = -1;
    for (const auto& [name, unit] : units_)
      if (!unit.is_root && !(unit.*pass).IsEmpty() && (unit.*pass).first < range.first)
        before = std::max(before, (unit.*pass).first);
    return before < 0 ? range.first : before;
  }

  // The buffer of the all-gather is copied to the parameters when the unit begins.
  void Gather(Unit& unit, StepRange range, int32_t from) {
    AddTransient(unit, unit.bytes, from, range.first, "all-gather of");
    AddTransient(unit, unit.bytes, range.first, range.last, "gathered unit of");
    AddSent("all-gather of parameters", RingBytes(unit.bytes, options_.ranks), result_.sent);
  }

  void AddTransient(const Unit& unit, Dim bytes, int32_t first, int32_t last, std::string_view role) {
    const MemoryBlock& parameter = blocks()[unit.parameters[0]];
    blocks().push_back({bytes, parameter.device, first, last, MemoryCategory::kTemporary, parameter.maker, role});
  }

  const Graph& graph_;
  const FullyShardedOptions& options_;
  const std::vector<std::string> patterns_;
  ShardedStep result_;
  const size_t original_blocks_;
  std::map<const Node*, std::string> qualified_names_;
  std::map<std::string, Unit> units_;
  std::map<const Node*, Unit*> unit_of_;  // by parameter
};

}  // namespace

ShardedStep DivideStates(const Graph& graph, ShardedStep step, const FullyShardedOptions& options) {
  return StateDivider(graph, std::move(step), options).Divide();
}

}  // namespace fakeprop
