#include "lib/deferred_init/memory_forecast.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>

#include "lib/deferred_init/chunks.h"
#include "lib/deferred_init/replay_calls.h"

namespace fakeprop::deferred_init {
namespace {

// A storage among the arguments of the calls that are to run.
struct Use {
  const Node* maker = nullptr;
  size_t last_step = 0;
  long references = 0;
  // Besides the arguments that were counted, and the map of uses.
  bool IsHeldByOthers(const std::shared_ptr<Bytes>& bytes) const { return bytes.use_count() > references + 1; }
};

void AddUses(const Node& call, size_t step, std::map<std::shared_ptr<Bytes>, Use>& uses) {
  for (const Input& input : call.inputs) {
    if (!input.bytes) continue;
    Use& use = uses[input.bytes];
    use.last_step = step;
    use.references += 1;
    if (const auto& maker = input.slot->maker; maker && maker->made_bytes > 0) use.maker = maker.get();
  }
}

int64_t BytesOf(const at::Tensor& fake, const std::optional<TensorSlice>& slice) {
  const auto bytes = static_cast<int64_t>(fake.nbytes());
  return slice ? bytes / std::max<int64_t>(fake.size(slice->dim), 1) * slice->length : bytes;
}

bool AnyOutputIsHeld(const Node& node) {
  return std::any_of(
      node.outputs.begin(), node.outputs.end(), [](const Output& output) { return !output.slot.expired(); });
}

}  // namespace

void MemoryForecast::Add(const at::Tensor& fake) {
  AddCalls(fake);
  AddConversion(fake, static_cast<int64_t>(fake.storage().nbytes()), options_.in_place && !options_.keep_recording);
}

void MemoryForecast::AddCalls(const at::Tensor& fake) {
  Plan plan;
  plan.AddFake(fake);
  for (const auto& node : plan.InOrder())
    if (seen_.insert(node.get()).second) steps_.push_back({node, node->made_bytes});
}

void MemoryForecast::AddConversion(const at::Tensor& fake, int64_t bytes, bool frees_original) {
  const bool other_dtype =
      options_.dtype && c10::isFloatingType(fake.scalar_type()) && *options_.dtype != fake.scalar_type();
  const bool other_device = options_.device && options_.device->type() != fake.device().type();
  if (other_dtype || other_device)
    steps_.push_back({nullptr, Converted(bytes, fake.scalar_type()), frees_original ? bytes : 0});
}

int64_t MemoryForecast::Converted(int64_t bytes, c10::ScalarType from) const {
  if (!options_.dtype || !c10::isFloatingType(from)) return bytes;
  return bytes / static_cast<int64_t>(c10::elementSize(from)) * static_cast<int64_t>(c10::elementSize(*options_.dtype));
}

void MemoryForecast::AddSlice(const at::Tensor& fake, const TensorSlice& slice) {
  if (!CanSlice(fake)) AddCalls(fake);
  const int64_t bytes = BytesOf(fake, slice);
  steps_.push_back({nullptr, bytes});
  AddConversion(fake, bytes, true);
}

void MemoryForecast::AddLoaded(const at::Tensor& fake, const std::optional<TensorSlice>& slice) {
  steps_.push_back({nullptr, Converted(BytesOf(fake, slice), fake.scalar_type())});
}

// A storage is released after the last call that takes it, if nobody else holds it: a fake, or a call of another part.
std::vector<MemoryForecast::Step> MemoryForecast::StepsWithReleases() const {
  std::vector<Step> steps = steps_;
  if (options_.keep_recording) return steps;
  std::map<std::shared_ptr<Bytes>, Use> uses;
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i].call) AddUses(*steps[i].call, i, uses);
  std::map<const Node*, size_t> releases;
  for (const auto& [bytes, use] : uses) {
    const size_t last = use.IsHeldByOthers(bytes) ? steps.size() : use.last_step;
    if (use.maker) releases[use.maker] = std::max(releases[use.maker], last);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const Node* call = steps[i].call.get();
    if (!call || call->made_bytes == 0) continue;
    const auto it = releases.find(call);
    const size_t last = it != releases.end() ? it->second : AnyOutputIsHeld(*call) ? steps.size() : i;
    if (last < steps.size()) steps[last].freed_bytes += call->made_bytes;
  }
  return steps;
}

int64_t MemoryForecast::Peak() const {
  int64_t live = 0, peak = 0;
  for (const Step& step : StepsWithReleases()) {
    live += step.made_bytes;
    peak = std::max(peak, live);
    live -= step.freed_bytes;
  }
  return peak;
}

void MemoryForecast::Check() const {
  if (!options_.max_bytes) return;
  const int64_t peak = Peak();
  if (peak <= *options_.max_bytes) return;
  throw DeferredInitError("", "materialising these tensors would hold up to " + std::to_string(peak) +
                                  " bytes, more than the " + std::to_string(*options_.max_bytes) +
                                  " that `max_bytes` allows; materialise a part, or slices");
}

}  // namespace fakeprop::deferred_init
