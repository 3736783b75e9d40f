#include "lib/sharding/fully_sharded.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "lib/meta/value_visit.h"
#include "lib/sharding/sharding_units.h"
#include "lib/training/module_pattern.h"

namespace fakeprop {
namespace {

bool IsForward(const MemoryStep& step) { return step.node && step.is_counted && step.role.empty(); }
bool IsBackward(const MemoryStep& step) { return step.node && !step.role.empty(); }

// Goes through the steps once, and puts the communication of each unit between them. Blocks that are alive from one
// such step to another are made when the second is reached. Source: torch/distributed/fsdp/_fully_shard (torch 2.13),
// _fsdp_param_group.py and _fsdp_collectives.py; its calls to allocate and free, in their order.
class StateDivider {
 public:
  StateDivider(const Graph& graph, const Annotations& annotations, ShardedStep step, const FullyShardedOptions& options)
      : graph_(graph),
        run_(annotations.graphs[0]),
        options_(options),
        sent_(std::move(step.sent)),
        steps_(std::move(step.timeline.steps)),
        result_(std::move(step.timeline)) {
    result_.steps.clear();
    const std::vector<std::string>& patterns = options.units.empty() ? NumberedModules() : options.units;
    Timeline before{steps_, result_.blocks, {}};
    found_ = FindShardingUnits(graph, annotations, before, patterns);
    states_.resize(found_.units.size());
    for (size_t i = 0; i < found_.units.size(); ++i) Measure(i);
  }

  ShardedStep Divide() {
    if (options_.stage == 1) return DivideStatesAlone();
    DivideOptimizer();
    FindBorders();
    for (size_t i = 0; i <= steps_.size(); ++i) {
      Communicate(static_cast<int32_t>(i));
      moved_.push_back(static_cast<int32_t>(result_.steps.size()));
      if (i < steps_.size()) result_.steps.push_back(steps_[i]);
    }
    MoveBlocks();
    return {std::move(result_), std::move(sent_)};
  }

 private:
  // What of a unit is where, while steps are gone through. Steps are those of the result; -1: not there.
  struct UnitState {
    Dim parameters = 0, gradients = 0;  // bytes of one rank's part
    int32_t gathered = -1;              // since when the all-gather's buffer is there
    int32_t whole = -1;                 // since when its parameters are there
    int32_t copied = -1, reduced = -1;  // when its gradients are copied for the reduce-scatter, and have been reduced
    bool is_done = false;               // its backward pass has ended
  };

  // --- Shares.

  // A parameter is divided along its first dimension, and each part has the size of the first.
  Dim PartOf(const Node* parameter, Dim bytes) const {
    const auto known = parts_.find(parameter);
    const int64_t rows = known == parts_.end() ? -1 : known->second;
    if (rows == 0) return 0;
    return rows < 0 ? ShareOf(bytes, options_.ranks) : CeilDiv(bytes * CeilDiv(Dim(rows), options_.ranks), Dim(rows));
  }

  void Measure(size_t index) {
    const ShardingUnit& unit = found_.units[index];
    for (size_t i : unit.parameters) {
      const Node* parameter = result_.blocks[i].maker;
      ForEachTensor(run_.nodes[static_cast<size_t>(parameter - graph_.nodes.data())].value, [&](const Tensor& t) {
        const DimSpan sizes = t.meta.size_span();
        const auto rows = sizes.empty() ? std::optional<int64_t>(1) : sizes[0].TryNumber();
        if (rows) parts_.emplace(parameter, *rows);
      });
      states_[index].parameters += PartOf(parameter, result_.blocks[i].bytes);
    }
  }

  void DivideOptimizer() {
    for (size_t i = 0; i < result_.blocks.size(); ++i) {
      MemoryBlock& block = result_.blocks[i];
      const bool is_state = block.category == MemoryCategory::kOptimizerState || block.role == "update of";
      if (is_state && block.maker && block.role != "step of") block.bytes = PartOf(block.maker, block.bytes);
      if (IsNewGradient(i)) states_[found_.unit_of[i]].gradients += PartOf(block.maker, block.bytes);
    }
  }

  bool IsGradient(size_t block) const {
    return result_.blocks[block].category == MemoryCategory::kGradient && found_.unit_of[block] >= 0;
  }
  bool IsNewGradient(size_t block) const { return IsGradient(block) && result_.blocks[block].first > 0; }

  void Send(std::string_view what, Dim part) { AddSent(what, part * Dim(options_.ranks - 1), sent_); }

  // --- Stage 1. Source: torch/distributed/optim/zero_redundancy_optimizer.py, _partition_parameters, under
  // DistributedDataParallel, whose buckets hold all gradients all the time.

  ShardedStep DivideStatesAlone() {
    result_.steps = steps_;
    const std::set<const Node*> owned = ParametersOfFullestRank();
    const auto last = static_cast<int32_t>(steps_.size()) - 1;
    const size_t count = result_.blocks.size();
    for (size_t i = 0; i < count; ++i) {
      MemoryBlock& block = result_.blocks[i];
      if (block.category == MemoryCategory::kOptimizerState && block.maker && !owned.contains(block.maker))
        block.bytes = 0;
      if (!IsNewGradient(i)) continue;
      AddSent("all-reduce of gradients", RingBytes(block.bytes, options_.ranks) * Dim(2), sent_);
      AddSent("broadcast of parameters", RingBytes(block.bytes, options_.ranks), sent_);
      MemoryBlock bucket = block;
      bucket.first = 0;
      bucket.last = last;
      bucket.role = "bucket for";
      if (block.last == last) made_.push_back(bucket);  // else gradients of earlier batches are in it
      block.last = block.first;
    }
    result_.blocks.insert(result_.blocks.end(), made_.begin(), made_.end());
    return {std::move(result_), std::move(sent_)};
  }

  // Each parameter, the largest first, goes to the rank that has the least.
  std::set<const Node*> ParametersOfFullestRank() const {
    std::vector<std::pair<int64_t, const Node*>> trained;
    for (size_t i = 0; i < result_.blocks.size(); ++i)
      if (IsNewGradient(i)) trained.emplace_back(result_.blocks[i].bytes.Hint().value_or(0), result_.blocks[i].maker);
    std::stable_sort(trained.begin(), trained.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    using Load = std::pair<int64_t, size_t>;  // bytes of a rank
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (size_t rank = 0; rank < std::min(trained.size(), static_cast<size_t>(options_.ranks)); ++rank)
      loads.emplace(0, rank);
    std::vector<std::set<const Node*>> owned(loads.size());
    Load fullest{-1, 0};
    for (const auto& [bytes, parameter] : trained) {
      Load least = loads.top();
      loads.pop();
      owned[least.second].insert(parameter);
      least.first += bytes;
      fullest = std::max(fullest, least, [](const Load& a, const Load& b) { return a.first < b.first; });
      loads.push(least);
    }
    return owned.empty() ? std::set<const Node*>() : owned[fullest.second];
  }

  // --- The order of steps.

  void FindBorders() {
    starts_.resize(steps_.size() + 1);
    ends_.resize(steps_.size() + 1);
    forward_.resize(steps_.size() + 1);
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (IsForward(steps_[i])) all_forward_.Add(static_cast<int32_t>(i));
      if (IsBackward(steps_[i])) all_backward_.Add(static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < found_.units.size(); ++i) {
      const ShardingUnit& unit = found_.units[i];
      if (unit.IsRoot() || unit.forward.IsEmpty()) continue;
      forward_[unit.forward.first].push_back(i);
      if (unit.backward.IsEmpty()) continue;
      starts_[unit.backward.first].push_back(i);
      if (unit.has_input_gradient) ends_[unit.backward.last + 1].push_back(i);
    }
  }

  bool HasRoot() const { return !found_.units.empty() && found_.units[0].IsRoot(); }

  // What happens before a step.
  void Communicate(int32_t step) {
    for (size_t unit : ends_[step]) EndBackward(unit);
    if (step == all_backward_.last + 1) EndStep();
    if (step == all_forward_.first && HasRoot()) BeginForward(0);
    for (size_t unit : forward_[step]) BeginForward(unit);
    if (step == all_forward_.last + 1 && buffered_ >= 0) DropBuffer(buffered_, LastStep());
    if (step == all_backward_.first && HasRoot()) Prefetch(found_.units.size());
    for (size_t unit : starts_[step]) BeginBackward(unit);
  }

  int32_t LastStep() const { return static_cast<int32_t>(result_.steps.size()) - 1; }

  int32_t NewStep(std::string_view role, size_t unit) {
    MemoryStep step{nullptr, role};
    step.module = NameOf(unit);
    result_.steps.push_back(step);
    return LastStep();
  }

  std::string_view NameOf(size_t unit) const {
    return found_.units[unit].IsRoot() ? std::string_view("the root") : found_.units[unit].module;
  }

  // --- What a unit does.

  // The buffer of the unit before is dropped once the next one has its parameters.
  void BeginForward(size_t unit) {
    Gather(unit);
    states_[unit].whole = NewStep("copy-out of", unit);
    if (buffered_ >= 0) DropBuffer(buffered_, LastStep());
    buffered_ = static_cast<int32_t>(unit);
  }

  void Gather(size_t unit) {
    states_[unit].gathered = NewStep("all-gather of", unit);
    Send("all-gather of parameters", states_[unit].parameters);
  }

  void DropBuffer(int32_t unit, int32_t last) {
    AddBlock(static_cast<size_t>(unit), states_[unit].parameters, states_[unit].gathered, last, "all-gather of");
    states_[unit].gathered = -1;
    if (buffered_ == unit) buffered_ = -1;
  }

  // In stage 3 a unit's parameters are dropped when its forward pass has ended. Then its backward pass gathers them.
  bool IsGatheredAgain(size_t unit) const { return options_.stage > 2 && !found_.units[unit].IsRoot(); }

  void BeginBackward(size_t unit) {
    if (IsGatheredAgain(unit)) {
      DropParameters(unit, At(found_.units[unit].forward.last));
      if (states_[unit].gathered < 0) Gather(unit);
      states_[unit].whole = NewStep("copy-out of", unit);
      DropBuffer(static_cast<int32_t>(unit), LastStep());
    }
    Prefetch(unit);
  }

  // The unit that runs before `unit` goes backward next.
  void Prefetch(size_t unit) {
    if (unit == 0) return;
    const size_t next = unit - 1;
    const bool is_needed = IsGatheredAgain(next) && !found_.units[next].backward.IsEmpty();
    if (is_needed && states_[next].gathered < 0 && !states_[next].is_done) Gather(next);
  }

  void DropParameters(size_t unit, int32_t last) {
    UnitState& state = states_[unit];
    if (state.whole >= 0) AddBlock(unit, state.parameters, state.whole, last, "gathered parameters of");
    state.whole = -1;
  }

  void EndBackward(size_t unit) {
    UnitState& state = states_[unit];
    if (state.is_done) return;
    state.is_done = true;
    const bool is_dropped = IsGatheredAgain(unit) && found_.units[unit].backward.IsEmpty();
    DropParameters(unit, is_dropped ? At(found_.units[unit].forward.last) : LastStep());
    if (state.gradients.TryNumber() == 0) return;
    DropReduced();
    reducing_ = static_cast<int32_t>(unit);
    state.copied = NewStep("copy-in of", unit);
    state.reduced = NewStep("reduce-scatter of", unit);
    Send("reduce-scatter of gradients", state.gradients);
  }

  // The input of a reduce-scatter stays until the next one begins.
  void DropReduced() {
    if (reducing_ < 0) return;
    const UnitState& state = states_[reducing_];
    AddBlock(static_cast<size_t>(reducing_), state.gradients, state.copied, LastStep(), "reduce-scatter of");
    reducing_ = -1;
  }

  // The root, and units whose inputs get no gradient.
  void EndStep() {
    for (size_t unit = 0; unit < found_.units.size(); ++unit) EndBackward(unit);
    DropReduced();
  }

  // --- Blocks.

  // Bytes of all ranks' parts. It is in steps of the result, which later steps do not move.
  void AddBlock(size_t unit, Dim part, int32_t first, int32_t last, std::string_view role) {
    const MemoryBlock& parameter = result_.blocks[found_.units[unit].parameters[0]];
    MemoryBlock block{part * Dim(options_.ranks), parameter.device, first, last};
    block.role = role;
    block.module = NameOf(unit);
    made_.push_back(block);
  }

  int32_t At(int32_t step) const { return moved_[step]; }

  void MoveBlocks() {
    const auto end = static_cast<int32_t>(steps_.size()) - 1;
    for (size_t i = 0; i < result_.blocks.size(); ++i) {
      MemoryBlock& block = result_.blocks[i];
      const bool stays = block.last == end && block.category != MemoryCategory::kTemporary &&
                         block.category != MemoryCategory::kActivation;
      const bool is_new_gradient = IsNewGradient(i);
      block.first = At(block.first);
      block.last = stays ? LastStep() : At(block.last);
      if (IsGradient(i)) DivideGradient(i, is_new_gradient);
      if (block.category == MemoryCategory::kParameter) block.bytes = PartOf(block.maker, block.bytes);
    }
    result_.blocks.insert(result_.blocks.end(), made_.begin(), made_.end());
  }

  // The whole of a gradient is there until it is copied for the reduce-scatter. Then one rank's part is.
  void DivideGradient(size_t index, bool is_new) {
    MemoryBlock& whole = result_.blocks[index];
    MemoryBlock part = whole;
    part.bytes = PartOf(whole.maker, whole.bytes);
    if (!is_new) {  // of earlier batches
      whole = part;
      return;
    }
    const UnitState& state = states_[found_.unit_of[index]];
    whole.last = state.copied;
    part.first = state.reduced;
    part.last = part.last == LastStep() ? LastStep() : state.reduced;  // added to that of earlier batches
    made_.push_back(part);
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const FullyShardedOptions& options_;
  std::vector<Communication> sent_;
  const std::vector<MemoryStep> steps_;
  Timeline result_;
  ShardingUnits found_;
  std::vector<UnitState> states_;         // by unit
  std::map<const Node*, int64_t> parts_;  // by parameter: its first dimension
  StepRange all_forward_, all_backward_;
  std::vector<std::vector<size_t>> forward_, starts_, ends_;  // by step: units that begin forward, backward; that end
  std::vector<int32_t> moved_;                                // by step: its place in the result
  std::vector<MemoryBlock> made_;
  int32_t buffered_ = -1;  // the unit whose buffer the forward pass holds
  int32_t reducing_ = -1;  // the unit whose reduce-scatter was the last
};

}  // namespace

ShardedStep DivideStates(
    const Graph& graph, const Annotations& annotations, ShardedStep step, const FullyShardedOptions& options) {
  return StateDivider(graph, annotations, std::move(step), options).Divide();
}

}  // namespace fakeprop
