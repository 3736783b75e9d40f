#include "lib/training/checkpoint_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "lib/cost/graph_cost.h"
#include "lib/memory/memory_profile.h"
#include "lib/prove/point.h"
#include "lib/training/checkpoint_regions.h"
#include "lib/training/module_pattern.h"

namespace fakeprop {
namespace {

constexpr size_t kMostSets = 2048;

struct TrainingNeed {
  int64_t peak = 0;
  int64_t flops = 0;
};

// Modules that cost and save the same.
struct ModuleGroup {
  std::vector<std::string> modules;
  TrainingNeed alone;  // with the first of them recomputed
};

class CheckpointChooser {
 public:
  CheckpointChooser(const Graph& graph, const Annotations& annotations, const FixedSymbols& fixed,
      const TrainingOptions& options, int64_t budget, const SymbolValues& point)
      : graph_(graph),
        annotations_(annotations),
        fixed_(fixed),
        options_(options),
        budget_(budget),
        point_(point),
        cost_(CountCost(graph, annotations, fixed)) {}

  CheckpointChoice Choose() {
    modules_ = Modules();
    MakeGroups();
    choice_.peak = INT64_MAX;
    if (CountSets() <= kMostSets) TrySets();
    else AddGreedily();
    return std::move(choice_);
  }

 private:
  std::vector<std::string> Modules() const {
    std::vector<std::string> modules;
    std::set<std::string_view> seen;
    for (const CheckpointRegion& region :
        FindCheckpointRegions(graph_, options_.checkpoint.empty() ? NumberedModules() : options_.checkpoint))
      if (seen.insert(region.module).second) modules.emplace_back(region.module);
    return modules;
  }

  TrainingNeed Try(const std::vector<std::string>& modules) const {
    TrainingOptions options = options_;
    options.checkpoint = modules;
    TrainingStep step = ModelTraining(graph_, annotations_, options);
    PutNumbers(fixed_, step.timeline);
    const int64_t flops = FlopsOf(step.recomputed, cost_, point_);
    return {MemoryProfile(std::move(step.timeline), *annotations_.shape_env).PeakAt(point_).bytes, flops};
  }

  void MakeGroups() {
    std::map<std::tuple<int64_t, int64_t, size_t>, size_t> known;
    const std::vector<CheckpointRegion> regions = FindCheckpointRegions(graph_, modules_);
    for (const std::string& module : modules_) {
      const TrainingNeed alone = Try({module});
      size_t nodes = 0;
      for (const CheckpointRegion& region : regions)
        if (region.module == module) nodes += region.nodes.size();
      const auto [group, is_new] = known.emplace(std::tuple(alone.flops, alone.peak, nodes), groups_.size());
      if (is_new) groups_.push_back({{}, alone});
      groups_[group->second].modules.push_back(module);
    }
  }

  size_t CountSets() const {
    size_t sets = 1;
    for (const ModuleGroup& group : groups_) sets = std::min(sets * (group.modules.size() + 1), kMostSets + 1);
    return sets;
  }

  // How many modules of each group to take, by the work of doing so.
  std::vector<std::vector<size_t>> AllCounts() const {
    std::vector<std::vector<size_t>> all = {{}};
    for (const ModuleGroup& group : groups_) {
      std::vector<std::vector<size_t>> longer;
      for (const std::vector<size_t>& counts : all)
        for (size_t count = 0; count <= group.modules.size(); ++count) {
          longer.push_back(counts);
          longer.back().push_back(count);
        }
      all = std::move(longer);
    }
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return WorkOf(a) < WorkOf(b); });
    return all;
  }

  int64_t WorkOf(const std::vector<size_t>& counts) const {
    int64_t flops = 0;
    for (size_t i = 0; i < counts.size(); ++i) flops += static_cast<int64_t>(counts[i]) * groups_[i].alone.flops;
    return flops;
  }

  std::vector<std::string> ModulesOf(const std::vector<size_t>& counts) const {
    std::set<std::string> chosen;
    for (size_t i = 0; i < counts.size(); ++i)
      chosen.insert(groups_[i].modules.begin(), groups_[i].modules.begin() + static_cast<ptrdiff_t>(counts[i]));
    std::vector<std::string> in_order;
    for (const std::string& module : modules_)
      if (chosen.contains(module)) in_order.push_back(module);
    return in_order;
  }

  void TrySets() {
    for (const std::vector<size_t>& counts : AllCounts())
      if (Accept(ModulesOf(counts))) return;
  }

  // Keeps the set if it fits, or if it needs the least so far. Returns true if it fits.
  bool Accept(const std::vector<std::string>& modules) {
    const TrainingNeed outcome = Try(modules);
    const bool fits = outcome.peak <= budget_;
    if (fits || outcome.peak < choice_.peak) choice_ = {modules, outcome.flops, outcome.peak, fits, choice_.is_exact};
    return fits;
  }

  void AddGreedily() {
    choice_.is_exact = false;
    const int64_t most = Try({}).peak;
    const auto gain = [&](const ModuleGroup& group) {
      return static_cast<double>(most - group.alone.peak) /
             static_cast<double>(std::max<int64_t>(group.alone.flops, 1));
    };
    std::stable_sort(groups_.begin(), groups_.end(), [&](const auto& a, const auto& b) { return gain(a) > gain(b); });
    std::vector<std::string> taken;
    if (Accept(taken)) return;
    for (const ModuleGroup& group : groups_)
      for (const std::string& module : group.modules) {
        taken.push_back(module);
        if (Accept(taken)) return;
      }
  }

  const Graph& graph_;
  const Annotations& annotations_;
  const FixedSymbols& fixed_;
  const TrainingOptions& options_;
  const int64_t budget_;
  const SymbolValues& point_;
  const GraphCost cost_;
  std::vector<std::string> modules_;
  std::vector<ModuleGroup> groups_;
  CheckpointChoice choice_;
};

}  // namespace

CheckpointChoice ChooseCheckpoints(const Graph& graph, const Annotations& annotations, const FixedSymbols& fixed,
    TrainingOptions options, int64_t budget, const SymbolValues& point) {
  return CheckpointChooser(graph, annotations, fixed, options, budget, point).Choose();
}

int64_t FlopsOf(const std::vector<const Node*>& nodes, const GraphCost& cost, const SymbolValues& point) {
  std::map<const Node*, Dim> flops;
  for (const NodeCost& node : cost.nodes) flops[node.node] += node.cost.flops;
  Dim sum = 0;
  for (const Node* node : nodes)
    if (const auto counted = flops.find(node); counted != flops.end()) sum += counted->second;
  return MaxAt({sum}, point);
}

}  // namespace fakeprop
