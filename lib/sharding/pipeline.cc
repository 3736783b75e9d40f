#include "lib/sharding/pipeline.h"

#include <algorithm>

#include "lib/memory/liveness.h"
#include "lib/meta/value_visit.h"
#include "lib/training/module_pattern.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

// A block in a stage, with what it is to the stage.
struct StageBlock {
  MemoryBlock block;
  enum class Kind {
    kInside,
    kReceived,          // a result of a stage before
    kReceivedGradient,  // a gradient that a stage after it made
    kSentGradient,      // a gradient for a stage before
    kSent,              // a result that a stage after it takes
    kInput,
    kParameterGradient,
  } kind = Kind::kInside;
};

struct Stage {
  std::vector<int32_t> steps;  // of the whole
  std::vector<StageBlock> blocks;
  int32_t border = -1;  // its first step of the backward pass
};

// Source: Schedule1F1B and PipelineStage in torch/distributed/pipelining (torch 2.13). A stage has a buffer for each
// micro-batch for what it receives, forward and backward, and keeps the gradients that it sends until the step ends.
class LayerDivider {
 public:
  LayerDivider(
      const Graph& graph, const Annotations& annotations, const ShardedStep& step, const PipelineOptions& options)
      : graph_(graph),
        run_(annotations.graphs[0]),
        whole_(step.timeline),
        options_(options),
        stage_of_(graph.nodes.size()),
        stages_of_block_(whole_.blocks.size()) {}

  std::vector<ShardedStep> Divide() {
    FindStages();
    for (size_t i = 0; i < whole_.steps.size(); ++i) AddStep(static_cast<int32_t>(i));
    for (size_t i = 0; i < whole_.blocks.size(); ++i) AddBlock(i);
    FindBorders();
    std::vector<ShardedStep> divided;
    for (int32_t stage = 0; stage < Count(); ++stage) divided.push_back(Finish(stage));
    return divided;
  }

 private:
  // --- Stages.

  int32_t Count() const { return static_cast<int32_t>(stages_.size()); }
  int32_t IndexOf(const Node* node) const { return static_cast<int32_t>(node - graph_.nodes.data()); }
  bool IsLeaf(int32_t node) const {
    return graph_.nodes[node].op == NodeOp::kPlaceholder || graph_.nodes[node].op == NodeOp::kGetAttr;
  }

  void FindStages() {
    int32_t stage = 0;
    for (int32_t i = 0; i < static_cast<int32_t>(graph_.nodes.size()); ++i) {
      const auto next = static_cast<size_t>(stage);
      if (!IsLeaf(i) && next < options_.starts.size() &&
          !OutermostFit(graph_.nodes[i].nn_module_stack, {options_.starts[next]}).empty())
        ++stage;
      stage_of_[i] = stage;
      if (!IsLeaf(i) && graph_.nodes[i].op != NodeOp::kOutput) NoteUses(i, stage);
    }
    stages_.resize(static_cast<size_t>(stage) + 1);
    sent_forward_.resize(stages_.size());
    sent_backward_.resize(stages_.size());
  }

  // Nodes come in the order of their stages.
  void NoteUses(int32_t node, int32_t stage) {
    for (const Argument& argument : graph_.nodes[node].arguments)
      ForEachNode(argument.value, [&](NodeRef ref) {
        ForEachTensor(run_.nodes[ref.index].value, [&](const Tensor& t) {
          const int32_t block = whole_.block_of[t.storage->id];
          if (block >= 0) AddStage(stages_of_block_[block], stage);
        });
      });
  }

  static void AddStage(std::vector<int32_t>& stages, int32_t stage) {
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
  }

  void AddStep(int32_t index) {
    const MemoryStep& step = whole_.steps[index];
    if (!step.node) {  // the optimiser's step is in all stages
      for (Stage& stage : stages_) stage.steps.push_back(index);
      return;
    }
    Stage& stage = stages_[stage_of_[IndexOf(step.node)]];
    if (stage.border < 0 && !step.role.empty()) stage.border = static_cast<int32_t>(stage.steps.size());
    stage.steps.push_back(index);
  }

  int32_t StageOfStep(int32_t step) const {
    const Node* node = whole_.steps[step].node;
    return node ? stage_of_[IndexOf(node)] : -1;
  }

  // --- Blocks.

  void AddBlock(size_t index) {
    const MemoryBlock& block = whole_.blocks[index];
    const int32_t maker = block.maker ? IndexOf(block.maker) : -1;
    has_accumulated_ |= block.role == "accumulated gradient of";
    if (maker >= 0 && IsLeaf(maker)) {
      for (int32_t stage : StagesOfLeaf(maker)) AddTo(stage, block, KindOfLeaf(block));
    } else if (block.role == "gradient of") {
      AddGradient(block);
    } else {
      std::vector<int32_t> stages = {StageOfStep(block.first)};
      if (block.role.empty())
        for (int32_t stage : stages_of_block_[index]) AddStage(stages, stage);
      for (int32_t stage : stages) AddTo(stage, block, KindOfResult(stages, stage));
    }
  }

  // A sum of gradients may go through several stages. Each of them has it anew.
  void AddGradient(const MemoryBlock& block) {
    const int32_t from = StageOfStep(block.first), to = StageOfStep(block.last);
    if (from <= to || to < 0) return AddTo(from, block, StageBlock::Kind::kInside);
    for (int32_t stage = to; stage <= from; ++stage) {
      if (stage < from) AddTo(stage, block, StageBlock::Kind::kReceivedGradient);
      if (stage > to) AddTo(stage, block, StageBlock::Kind::kSentGradient);
    }
  }

  // Stages that use a parameter or an input.
  std::vector<int32_t> StagesOfLeaf(int32_t leaf) const {
    std::vector<int32_t> stages;
    ForEachTensor(run_.nodes[leaf].value, [&](const Tensor& t) {
      const int32_t block = whole_.block_of[t.storage->id];
      if (block >= 0)
        for (int32_t stage : stages_of_block_[block]) AddStage(stages, stage);
    });
    return stages;
  }

  static StageBlock::Kind KindOfLeaf(const MemoryBlock& block) {
    using Kind = StageBlock::Kind;
    const bool is_gradient = block.role == "gradient of" && block.category == MemoryCategory::kGradient;
    if (is_gradient) return Kind::kParameterGradient;
    return block.category == MemoryCategory::kInput && block.role.empty() ? Kind::kInput : Kind::kInside;
  }

  // `stages` are the one that makes it and those that use it.
  static StageBlock::Kind KindOfResult(const std::vector<int32_t>& stages, int32_t stage) {
    if (stage != stages.front()) return StageBlock::Kind::kReceived;
    return stages.size() > 1 ? StageBlock::Kind::kSent : StageBlock::Kind::kInside;
  }

  // The block between the steps that the stage has.
  void AddTo(int32_t stage, MemoryBlock block, StageBlock::Kind kind) {
    const std::vector<int32_t>& steps = stages_[stage].steps;
    const auto first = std::lower_bound(steps.begin(), steps.end(), block.first);
    const auto end = std::upper_bound(steps.begin(), steps.end(), block.last);
    const bool is_received = kind == StageBlock::Kind::kReceived || kind == StageBlock::Kind::kReceivedGradient;
    if (first >= end && !is_received) return;
    block.first = static_cast<int32_t>(first - steps.begin());
    block.last = std::max(block.first, static_cast<int32_t>(end - steps.begin()) - 1);
    stages_[stage].blocks.push_back({block, kind});
  }

  // What crosses the end of each stage. Tensors of earlier stages pass through all between.
  void FindBorders() {
    for (size_t i = 0; i < whole_.blocks.size(); ++i) {
      const MemoryBlock& block = whole_.blocks[i];
      if (!block.maker || !block.role.empty() || IsLeaf(IndexOf(block.maker)) || stages_of_block_[i].empty()) continue;
      bool requires_grad = false;
      ForEachTensor(
          run_.nodes[IndexOf(block.maker)].value, [&](const Tensor& t) { requires_grad |= t.RequiresGrad(); });
      for (int32_t stage = stage_of_[IndexOf(block.maker)]; stage < stages_of_block_[i].back(); ++stage) {
        sent_forward_[stage] += block.bytes;
        if (requires_grad) sent_backward_[stage + 1] += block.bytes;
      }
    }
  }

  // --- Micro-batches.

  // The stage while one micro-batch goes forward and backward, with what it holds of the others then.
  ShardedStep Finish(int32_t stage) {
    ShardedStep made;
    for (int32_t step : stages_[stage].steps) made.timeline.steps.push_back(whole_.steps[step]);
    const int64_t batch = BusiestBatch(stage);
    for (const StageBlock& block : stages_[stage].blocks) Place(stage, batch, block, made.timeline);
    AddSent("activations and their gradients",
        (sent_forward_[stage] + sent_backward_[stage]) * Dim(options_.micro_batches), made.sent);
    return made;
  }

  int64_t InFlight(int32_t stage) const { return std::min<int64_t>(Count() - stage, options_.micro_batches); }
  bool IsSaved(int32_t stage, const StageBlock& block) const {
    const int32_t border = stages_[stage].border;
    return block.kind == StageBlock::Kind::kSent ||
           (block.kind == StageBlock::Kind::kInside && block.block.category == MemoryCategory::kActivation &&
               block.block.first < border && block.block.last >= border);
  }

  // The micro-batch that goes backward when the stage holds the most: the last one that has as many in flight as there
  // ever are. If that is the very first, which has no gradients beside it, the next one may need more.
  int64_t BusiestBatch(int32_t stage) const {
    const int64_t batch = options_.micro_batches - InFlight(stage);
    if (batch > 0 || options_.micro_batches < 2) return batch;
    int64_t saved = 0, gradients = 0;
    for (const StageBlock& block : stages_[stage].blocks) {
      const int64_t bytes = block.block.bytes.Hint().value_or(0);
      if (IsSaved(stage, block)) saved += bytes;
      if (block.kind == StageBlock::Kind::kParameterGradient) gradients += bytes;
    }
    return gradients > saved ? 1 : 0;
  }

  void Place(int32_t stage, int64_t batch, const StageBlock& placed, Timeline& timeline) const {
    using Kind = StageBlock::Kind;
    const int64_t all = options_.micro_batches;
    const int64_t others = std::min(InFlight(stage), all - batch) - 1;
    const auto last = static_cast<int32_t>(timeline.steps.size()) - 1;
    MemoryBlock block = placed.block;
    const auto throughout = [&](int64_t count, std::string_view role) {
      MemoryBlock copy = placed.block;
      copy.bytes *= Dim(count);
      copy.first = 0;
      copy.last = last;
      copy.role = role;
      if (count > 0) timeline.blocks.push_back(copy);
    };
    switch (placed.kind) {
      case Kind::kInput: return throughout(all, "");
      case Kind::kReceived: return throughout(all, "received");
      case Kind::kReceivedGradient: return throughout(all, "received gradient of");
      case Kind::kSentGradient:
        throughout(batch, "earlier gradients of");
        block.last = last;
        break;
      case Kind::kParameterGradient:
        if (batch == 0 || has_accumulated_) break;
        throughout(1, "accumulated gradient of");
        block.last = block.first;
        break;
      case Kind::kSent: block.last = std::max(block.last, stages_[stage].border); break;
      case Kind::kInside: break;
    }
    if (IsSaved(stage, placed)) throughout(others, "other micro-batches of");
    timeline.blocks.push_back(block);
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const Timeline& whole_;
  const PipelineOptions& options_;
  std::vector<int32_t> stage_of_;                      // by node
  std::vector<std::vector<int32_t>> stages_of_block_;  // by block: the stages that use a value on it, in order
  std::vector<Stage> stages_;
  bool has_accumulated_ = false;                   // gradients of earlier steps are there anyway
  std::vector<Dim> sent_forward_, sent_backward_;  // by stage
};

}  // namespace

std::vector<ShardedStep> DivideLayers(
    const Graph& graph, const Annotations& annotations, const ShardedStep& step, const PipelineOptions& options) {
  return LayerDivider(graph, annotations, step, options).Divide();
}

}  // namespace fakeprop
