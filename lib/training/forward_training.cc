#include "lib/training/forward_training.h"

#include <map>
#include <optional>
#include <set>

#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
#include "lib/training/checkpoint_regions.h"
#include "lib/training/gradient_flow.h"
#include "lib/training/optimizer_step.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

// A tensor in the arguments of a node: item `item` of what node `node` returned.
struct TensorUse {
  int32_t node = -1;
  int32_t item = 0;
  const Tensor* tensor = nullptr;
};

constexpr std::string_view kRecomputed = "recomputed";  // the role of blocks of a second forward pass

class ForwardTraining {
 public:
  ForwardTraining(const Graph& graph, const Annotations& annotations, const TrainingOptions& options)
      : graph_(graph),
        options_(options),
        values_(graph, annotations.graphs[0]),
        forward_steps_(static_cast<int32_t>(graph.nodes.size())),
        regions_(FindCheckpointRegions(graph, options.checkpoint)),
        region_of_(graph.nodes.size(), nullptr),
        saved_(graph.nodes.size()),
        gradients_(graph.nodes.size()),
        kinds_(graph.nodes.size()) {
    result_.timeline = FindLifetimes(graph, annotations, options.free.value_or(FreeWhen::kAtEndOfScope));
    calls_.reserve(graph.nodes.size());
    for (int32_t i = 0; i < forward_steps_; ++i) FindCall(i);
    for (const Input& input : graph.inputs) kinds_[input.node] = input.kind;
    for (CheckpointRegion& region : regions_)
      for (int32_t node : region.nodes) region_of_[node] = &region;
  }

  TrainingStep Model() {
    for (int32_t i = 0; i < forward_steps_; ++i) Save(i);
    FindMade();
    for (int32_t i = forward_steps_ - 1; i >= 0; --i)
      if (IsOutput(i) || !gradients_[i].empty()) GoBackward(i);
    HoldToTheEnd();
    AddOptimizer(Trained(), options_, timeline());
    for (const CheckpointRegion& region : regions_) checkpoints_.emplace(region.module);
    result_.checkpoints.assign(checkpoints_.begin(), checkpoints_.end());
    result_.approximate.assign(approximate_.begin(), approximate_.end());
    return std::move(result_);
  }

 private:
  Timeline& timeline() { return result_.timeline; }
  bool IsOutput(int32_t node) const { return graph_.nodes[node].op == NodeOp::kOutput; }
  bool IsLeaf(int32_t node) const {
    return graph_.nodes[node].op == NodeOp::kPlaceholder || graph_.nodes[node].op == NodeOp::kGetAttr;
  }

  void FindCall(int32_t node) {
    const Node& called = graph_.nodes[node];
    const Schema* schema = IsLeaf(node) || IsOutput(node) ? nullptr : FindSchema(OperatorName(called.target));
    calls_.emplace_back();
    if (schema) calls_.back().emplace(called, *schema, values_.ResultOf(node), values_);
  }

  static bool AnyRequiresGrad(const Value& value) {
    bool requires_grad = false;
    ForEachTensor(value, [&](const Tensor& t) { requires_grad |= t.RequiresGrad(); });
    return requires_grad;
  }

  int32_t NewBlock(Dim bytes, Device device, int32_t step, const Node* maker, std::string_view role) {
    timeline().blocks.push_back({WithEqualities(bytes), device, step, step, MemoryCategory::kTemporary, maker, role});
    return static_cast<int32_t>(timeline().blocks.size()) - 1;
  }

  // --- Forward: what each call saves.

  void Save(int32_t node) {
    if (IsLeaf(node) || IsOutput(node) || !AnyRequiresGrad(values_.ResultOf(node))) return;
    if (graph_.nodes[node].target == "_operator.getitem") return;
    const SavedTensors saved = calls_[node] ? FindSavedTensors(*calls_[node]) : SaveAll(node);
    if (saved.is_approximate) approximate_.insert(graph_.nodes[node].target);
    for (const Tensor* t : saved.tensors) saved_[node].push_back(timeline().block_of[t->storage->id]);
    Device device(DeviceType::CPU);
    ForEachTensor(values_.ResultOf(node), [&](const Tensor& t) { device = t.meta.device; });
    for (Dim bytes : saved.hidden)
      saved_[node].push_back(NewBlock(bytes, device, node, &graph_.nodes[node], "saved by"));
  }

  // A call without a schema: a function or module of Python, a higher-order operator.
  SavedTensors SaveAll(int32_t node) const {
    SavedTensors saved;
    saved.is_approximate = true;
    for (const TensorUse& operand : Operands(node)) saved.tensors.push_back(operand.tensor);
    ForEachTensor(values_.ResultOf(node), [&](const Tensor& t) { saved.tensors.push_back(&t); });
    return saved;
  }

  std::vector<TensorUse> Operands(int32_t node) const {
    std::vector<TensorUse> operands;
    const auto add = [&](NodeRef ref) {
      int32_t item = 0;
      ForEachTensor(values_.ResultOf(ref.index), [&](const Tensor& t) { operands.push_back({ref.index, item++, &t}); });
    };
    for (const Argument& argument : graph_.nodes[node].arguments) ForEachNode(argument.value, add);
    return operands;
  }

  // --- Backward.

  void GoBackward(int32_t node) {
    if (region_of_[node]) Recompute(*region_of_[node]);
    step_ = static_cast<int32_t>(timeline().steps.size());
    if (IsLeaf(node)) return;
    timeline().steps.push_back({&graph_.nodes[node], "backward of"});
    const std::map<int32_t, int32_t> incoming = std::move(gradients_[node]);
    for (const auto& [item, block] : incoming) Release(block);
    for (int32_t block : saved_[node]) Touch(block);
    if (calls_[node]) AddScratch(node, FormulaScratch(*calls_[node]));
    if (graph_.nodes[node].target == "_operator.getitem") return PassToItem(node, incoming.begin()->second);
    // Gradients of leaves come last: only then is it known who else holds a gradient.
    for (bool leaves : {false, true})
      for (const TensorUse& operand : Operands(node))
        if (operand.tensor->RequiresGrad() && IsLeaf(operand.node) == leaves) Flow(node, incoming, operand);
  }

  // --- Checkpoints: a region's saved tensors are made again when the first node in it goes backward.

  void Recompute(CheckpointRegion& region) {
    // The last node that saves anything ends the recomputation. Source: torch/utils/checkpoint.py, early_stop.
    while (!region.nodes.empty() && saved_[region.nodes.back()].empty()) region.nodes.pop_back();
    std::map<int32_t, int32_t> again;  // the block of the first run: the block of this one
    const auto latest = [&](int32_t block) { return again.contains(block) ? again[block] : block; };
    for (int32_t node : region.nodes) {
      step_ = static_cast<int32_t>(timeline().steps.size());
      timeline().steps.push_back({&graph_.nodes[node], "recompute of"});
      result_.recomputed.push_back(&graph_.nodes[node]);
      for (int32_t block : made_[node]) again[block] = CopyOf(block);
      for (const TensorUse& operand : Operands(node)) Touch(latest(timeline().block_of[operand.tensor->storage->id]));
    }
    for (int32_t node : region.nodes)
      for (int32_t& block : saved_[node]) block = latest(block);
    for (int32_t node : region.nodes) region_of_[node] = nullptr;
    region.nodes.clear();
  }

  int32_t CopyOf(int32_t block) {
    const MemoryBlock first = timeline().blocks[block];
    return NewBlock(first.bytes, first.device, step_, first.maker, kRecomputed);
  }

  // By node: the blocks that it makes in the forward pass.
  void FindMade() {
    made_.resize(graph_.nodes.size());
    for (size_t i = 0; i < timeline().blocks.size(); ++i) {
      const MemoryBlock& block = timeline().blocks[i];
      if (block.category == MemoryCategory::kTemporary || block.category == MemoryCategory::kOutput)
        made_[block.first].push_back(static_cast<int32_t>(i));
    }
  }

  void Touch(int32_t block) { timeline().blocks[block].last = std::max(timeline().blocks[block].last, step_); }
  void Release(int32_t block) {
    Touch(block);
    --holders_[block];
  }

  void AddScratch(int32_t node, Dim bytes) {
    if (bytes.TryNumber() != 0 && !calls_[node]->results().empty())
      NewBlock(bytes, calls_[node]->results()[0]->meta.device, step_, &graph_.nodes[node], "backward of");
  }

  void Flow(int32_t node, const std::map<int32_t, int32_t>& incoming, const TensorUse& operand) {
    GradientFlow flow = calls_[node] ? FlowTo(*calls_[node], *operand.tensor) : GradientFlow::kNew;
    if (flow == GradientFlow::kNone) return;
    if (incoming.empty()) flow = GradientFlow::kNew;  // from outside of the graph
    if (calls_[node]) AddScratch(node, BroadcastScratch(*calls_[node], *operand.tensor));
    const bool is_shared =
        flow == GradientFlow::kSame && IsLeaf(operand.node) && holders_[incoming.begin()->second] > 0;
    const bool is_new = flow == GradientFlow::kNew || is_shared;
    Deposit(operand, is_new ? NewGradient(operand) : incoming.begin()->second);
  }

  int32_t NewGradient(const TensorUse& operand) {
    return NewBlock(
        DenseBytes(*operand.tensor), operand.tensor->meta.device, step_, &graph_.nodes[operand.node], "gradient of");
  }

  // The item of a list gets the gradient of the node that takes it out.
  void PassToItem(int32_t node, int32_t block) {
    const Node& getitem = graph_.nodes[node];
    const std::vector<TensorUse> items = Operands(node);
    const Dim* index = nullptr;
    const Value filled = getitem.arguments.size() > 1 ? values_.Fill(getitem.arguments[1].value) : Value();
    index = filled.TryGet<Dim>();
    const int64_t item = index ? index->Hint().value_or(0) : 0;
    const auto at = static_cast<size_t>(item < 0 ? item + static_cast<int64_t>(items.size()) : item);
    if (at < items.size()) Deposit(items[at], block);
  }

  // Adds a gradient to what the operand has already, in place if nobody else holds that.
  void Deposit(const TensorUse& operand, int32_t block) {
    const int32_t node = IsLeaf(operand.node) ? LeafOf(operand) : operand.node;
    const auto [held, is_first] = gradients_[node].emplace(operand.item, block);
    Touch(block);
    if (is_first) {
      ++holders_[block];
      return;
    }
    Touch(held->second);
    if (holders_[held->second] == 1) return;
    --holders_[held->second];
    held->second = NewGradient(operand);
    ++holders_[held->second];
  }

  // Parameters that share a storage are one.
  int32_t LeafOf(const TensorUse& operand) {
    return leaves_.emplace(operand.tensor->storage->id, operand.node).first->second;
  }

  // --- What stays.

  void HoldToTheEnd() {
    const auto last = static_cast<int32_t>(timeline().steps.size()) - 1;
    for (MemoryBlock& block : timeline().blocks) {
      if (block.category != MemoryCategory::kTemporary) {
        if (block.last >= forward_steps_ - 1) block.last = last;
      } else if (block.role == kRecomputed || (block.first < forward_steps_ && block.last >= forward_steps_)) {
        block.category = MemoryCategory::kActivation;
      }
    }
    for (const auto& [storage, node] : leaves_) HoldGradient(node, last);
  }

  void HoldGradient(int32_t node, int32_t last) {
    for (const auto& [item, block] : gradients_[node]) {
      ++result_.gradients;
      MemoryBlock& gradient = timeline().blocks[block];
      const MemoryBlock accumulated = gradient;
      gradient.category = MemoryCategory::kGradient;
      if (!options_.accumulate) gradient.last = last;
      else timeline().blocks.push_back(Accumulated(accumulated, last));
    }
  }

  // The sum over earlier batches, to which this one's gradient is added.
  static MemoryBlock Accumulated(MemoryBlock gradient, int32_t last) {
    gradient.first = 0;
    gradient.last = last;
    gradient.category = MemoryCategory::kGradient;
    gradient.role = "accumulated gradient of";
    return gradient;
  }

  std::vector<TrainedParameter> Trained() const {
    std::vector<TrainedParameter> trained;
    for (const auto& [storage, node] : leaves_) {
      if (gradients_[node].empty() || !IsParameter(node)) continue;
      ForEachTensor(values_.ResultOf(node), [&](const Tensor& t) { trained.push_back({&graph_.nodes[node], &t}); });
    }
    return trained;
  }

  bool IsParameter(int32_t node) const {
    return kinds_[node] ? kinds_[node] == InputKind::kParameter : graph_.nodes[node].op == NodeOp::kGetAttr;
  }

  const Graph& graph_;
  const TrainingOptions& options_;
  const NodeValues values_;
  const int32_t forward_steps_;
  std::vector<CheckpointRegion> regions_;
  std::vector<CheckpointRegion*> region_of_;           // by node; null once it is recomputed
  std::vector<std::vector<int32_t>> made_;             // by node
  std::vector<std::optional<CountedCall>> calls_;      // by node; empty for nodes that call no operator of a schema
  std::vector<std::vector<int32_t>> saved_;            // by node: the blocks that it saved
  std::vector<std::map<int32_t, int32_t>> gradients_;  // by node and item: the block of the gradient
  std::vector<std::optional<InputKind>> kinds_;        // by node, of placeholders
  std::map<int32_t, int32_t> holders_;                 // by block: how many pending gradients are on it
  std::map<int32_t, int32_t> leaves_;                  // by storage: the first leaf on it
  std::set<std::string> approximate_, checkpoints_;
  int32_t step_ = 0;
  TrainingStep result_;
};

}  // namespace

TrainingStep ModelForwardTraining(const Graph& graph, const Annotations& annotations, const TrainingOptions& options) {
  return ForwardTraining(graph, annotations, options).Model();
}

}  // namespace fakeprop
