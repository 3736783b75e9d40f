#include "lib/training/optimizer_step.h"

#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

// The least tensor of which no other has more bytes at the hints.
const TrainedParameter* Largest(const std::vector<TrainedParameter>& trained) {
  const TrainedParameter* largest = nullptr;
  int64_t most = -1;
  for (const TrainedParameter& parameter : trained) {
    const int64_t bytes = DenseBytes(*parameter.tensor).Hint().value_or(0);
    if (bytes > most) most = bytes, largest = &parameter;
  }
  return largest;
}

}  // namespace

void AddOptimizer(const std::vector<TrainedParameter>& trained, const TrainingOptions& options, Timeline& timeline) {
  if (options.optimizer == Optimizer::kNone && !options.master_weights) return;
  const auto last = static_cast<int32_t>(timeline.steps.size());
  timeline.steps.push_back({nullptr, "optimizer step"});
  for (MemoryBlock& block : timeline.blocks)
    if (block.last == last - 1 && block.category != MemoryCategory::kTemporary &&
        block.category != MemoryCategory::kActivation)
      block.last = last;
  for (const TrainedParameter& parameter : trained)
    for (const OptimizerState& state : StatesOf(options.optimizer, *parameter.tensor, options.master_weights))
      timeline.blocks.push_back({state.bytes, parameter.tensor->meta.device, 0, last, MemoryCategory::kOptimizerState,
          parameter.node, state.role});
  const TrainedParameter* largest = Largest(trained);
  for (int i = 0; largest && i < StepTensors(options.optimizer); ++i)
    timeline.blocks.push_back({WithEqualities(DenseBytes(*largest->tensor)), largest->tensor->meta.device, last, last,
        MemoryCategory::kTemporary, largest->node, "update of"});
}

}  // namespace fakeprop
