#include "lib/sharding/pipeline.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/memory/liveness.h"
#include "lib/meta/value_visit.h"
#include "lib/training/module_pattern.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

class LayerDivider {
 public:
  LayerDivider(
      const Graph& graph, const Annotations& annotations, const ShardedStep& step, const PipelineOptions& options)
      : graph_(graph), run_(annotations.graphs[0]), step_(step), options_(options), stage_of_(graph.nodes.size()) {
    FindStages();
  }

  std::vector<ShardedStep> Divide() {
    std::vector<ShardedStep> stages;
    for (int32_t stage = 0; stage < count_; ++stage) stages.push_back(MakeStage(stage));
    return stages;
  }

 private:
  bool IsLeaf(size_t node) const {
    return graph_.nodes[node].op == NodeOp::kPlaceholder || graph_.nodes[node].op == NodeOp::kGetAttr;
  }

  void FindStages() {
    int32_t stage = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto next = static_cast<size_t>(stage);
      if (!IsLeaf(i) && next < options_.starts.size() &&
          !OutermostFit(graph_.nodes[i].nn_module_stack, {options_.starts[next]}).empty())
        ++stage;
      stage_of_[i] = stage;
      indices_[&graph_.nodes[i]] = i;
      if (!IsLeaf(i)) NoteUses(i, stage);
    }
    count_ = stage + 1;
  }

  void NoteUses(size_t node, int32_t stage) {
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        if (graph_.nodes[node].op != NodeOp::kOutput) stages_using_[&graph_.nodes[ref.index]].insert(stage);
        ForEachTensor(
            run_.nodes[ref.index].value, [&](const Tensor& t) { storages_used_[stage].insert(t.storage->id); });
      });
  }

  bool IsIn(const MemoryStep& step, int32_t stage) const {
    return !step.node || stage_of_[indices_.at(step.node)] == stage;
  }

  // A leaf is where it is used; another block is where it is made, and where its storage comes in.
  bool Has(size_t index, int32_t stage) const {
    const MemoryBlock& block = step_.timeline.blocks[index];
    if (block.maker && IsLeaf(indices_.at(block.maker))) {
      const auto users = stages_using_.find(block.maker);
      return users != stages_using_.end() && users->second.contains(stage);
    }
    const bool takes_gradient = block.role == "gradient of" && IsIn(step_.timeline.steps[block.last], stage);
    return IsIn(step_.timeline.steps[block.first], stage) || takes_gradient || Receives(index, stage);
  }

  bool Receives(size_t index, int32_t stage) const {
    const auto used = storages_used_.find(stage);
    if (used == storages_used_.end()) return false;
    const std::vector<int32_t>& block_of = step_.timeline.block_of;
    return std::any_of(used->second.begin(), used->second.end(),
        [&](int32_t storage) { return block_of[storage] == static_cast<int32_t>(index); });
  }

  ShardedStep MakeStage(int32_t stage) {
    ShardedStep made;
    std::vector<int32_t> kept;
    for (size_t i = 0; i < step_.timeline.steps.size(); ++i) {
      if (!IsIn(step_.timeline.steps[i], stage)) continue;
      kept.push_back(static_cast<int32_t>(i));
      made.timeline.steps.push_back(step_.timeline.steps[i]);
    }
    for (size_t i = 0; i < step_.timeline.blocks.size(); ++i)
      if (Has(i, stage)) AddClipped(step_.timeline.blocks[i], kept, made.timeline);
    AddEarlierBatches(stage, made.timeline);
    made.sent = step_.sent;
    AddSent("activations and their gradients", BoundaryBytes(stage) * Dim(options_.micro_batches), made.sent);
    return made;
  }

  // The block between the steps that the stage has.
  static void AddClipped(MemoryBlock block, const std::vector<int32_t>& kept, Timeline& timeline) {
    const auto first = std::lower_bound(kept.begin(), kept.end(), block.first);
    const auto end = std::upper_bound(kept.begin(), kept.end(), block.last);
    if (first >= end) return;
    block.first = static_cast<int32_t>(first - kept.begin());
    block.last = static_cast<int32_t>(end - kept.begin()) - 1;
    timeline.blocks.push_back(block);
  }

  // What other micro-batches have saved: what is alive between the stage's forward and backward pass.
  void AddEarlierBatches(int32_t stage, Timeline& timeline) const {
    const auto backward = std::find_if(timeline.steps.begin(), timeline.steps.end(),
        [](const MemoryStep& step) { return step.role == "backward of" || step.role == "recompute of"; });
    const int64_t in_flight = std::min<int64_t>(count_ - stage, options_.micro_batches);
    if (backward == timeline.steps.end() || backward == timeline.steps.begin()) return;
    const auto border = static_cast<int32_t>(backward - timeline.steps.begin());
    const auto last = static_cast<int32_t>(timeline.steps.size()) - 1;
    const size_t blocks = timeline.blocks.size();
    for (size_t i = 0; i < blocks; ++i) {
      MemoryBlock block = timeline.blocks[i];
      if (block.category != MemoryCategory::kActivation || block.first >= border || block.last < border) continue;
      block.bytes *= Dim(in_flight - 1);
      block.first = 0;
      block.last = last;
      block.role = "earlier batches of";
      if (in_flight > 1) timeline.blocks.push_back(block);
    }
  }

  // What the stage sends: its results to the next stage, gradients to the one before.
  Dim BoundaryBytes(int32_t stage) const {
    return BytesInto(stage + 1, /*from_before=*/stage + 1) + BytesInto(stage, stage);
  }

  // The tensors that a stage takes from nodes before it. Those of earlier stages pass through all between.
  Dim BytesInto(int32_t stage, int32_t from_before) const {
    Dim bytes = 0;
    std::set<const Storage*> seen;
    for (size_t i = 0; i < graph_.nodes.size() && stage > 0 && stage < count_; ++i) {
      const auto users = stages_using_.find(&graph_.nodes[i]);
      if (IsLeaf(i) || stage_of_[i] >= from_before || users == stages_using_.end()) continue;
      if (*users->second.rbegin() < stage) continue;
      ForEachTensor(run_.nodes[i].value, [&](const Tensor& t) {
        if (seen.insert(t.storage).second) bytes += WithEqualities(DenseBytes(t));
      });
    }
    return bytes;
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const ShardedStep& step_;
  const PipelineOptions& options_;
  std::vector<int32_t> stage_of_;  // by node
  std::map<const Node*, size_t> indices_;
  std::map<const Node*, std::set<int32_t>> stages_using_;
  std::map<int32_t, std::set<int32_t>> storages_used_;  // by stage
  int32_t count_ = 1;
};

}  // namespace

std::vector<ShardedStep> DivideLayers(
    const Graph& graph, const Annotations& annotations, const ShardedStep& step, const PipelineOptions& options) {
  return LayerDivider(graph, annotations, step, options).Divide();
}

}  // namespace fakeprop
