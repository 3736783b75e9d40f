#include "lib/training/optimizer_step.h"

#include <algorithm>
#include <utility>

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

UpdateForm FormOf(const std::vector<TrainedParameter>& trained, const TrainingOptions& options) {
  if (options.update != UpdateForm::kDefault) return options.update;
  const bool is_cuda = std::all_of(trained.begin(), trained.end(),
      [](const TrainedParameter& parameter) { return parameter.tensor->meta.device.type() == DeviceType::CUDA; });
  return is_cuda && options.optimizer != Optimizer::kAdafactor ? UpdateForm::kForeach : UpdateForm::kLoop;
}

// What the last step makes while it updates parameters.
void AddUpdates(const std::vector<TrainedParameter>& trained, const TrainingOptions& options, Timeline& timeline) {
  const UpdateForm form = FormOf(trained, options);
  const auto last = static_cast<int32_t>(timeline.steps.size()) - 1;
  const auto add = [&](const TrainedParameter& parameter) {
    const Dim bytes = DenseBytes(*parameter.tensor) * Dim(StepTensors(options.optimizer, form));
    if (bytes.TryNumber() != 0)
      timeline.blocks.push_back({WithEqualities(bytes), parameter.tensor->meta.device, last, last,
          MemoryCategory::kTemporary, parameter.node, "update of"});
  };
  if (form == UpdateForm::kForeach) std::for_each(trained.begin(), trained.end(), add);
  else if (const TrainedParameter* largest = Largest(trained)) add(*largest);
}

void AddStates(const std::vector<TrainedParameter>& trained, const TrainingOptions& options, Timeline& timeline) {
  const auto last = static_cast<int32_t>(timeline.steps.size()) - 1;
  const auto add = [&](Dim bytes, const TrainedParameter& parameter, const Node* node, std::string_view role) {
    timeline.blocks.push_back(
        {bytes, parameter.tensor->meta.device, 0, last, MemoryCategory::kOptimizerState, node, role});
  };
  bool has_maps = false;
  for (const TrainedParameter& parameter : trained) {
    if (IsQuantised(options.optimizer, *parameter.tensor) && !std::exchange(has_maps, true))
      add(kQuantisationMaps, parameter, nullptr, "quantisation maps");
    for (const OptimizerState& state : StatesOf(options.optimizer, *parameter.tensor, options.master_weights))
      add(state.bytes, parameter, parameter.node, state.role);
  }
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
  AddStates(trained, options, timeline);
  AddUpdates(trained, options, timeline);
}

}  // namespace fakeprop
