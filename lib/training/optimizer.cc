#include "lib/training/optimizer.h"

#include "lib/memory/liveness.h"

namespace fakeprop {
namespace {

constexpr int64_t kFloatBytes = 4;
// bitsandbytes 0.50, optim/optimizer.py: blocks of 256 elements with a float32 scale each; tensors with fewer elements
// than this stay float32. The step is a number of Python.
constexpr int64_t kBlock = 256, kLeast8bit = 4096;

bool IsShort(const Tensor& t) { return ItemSize(t.meta.dtype) < kFloatBytes; }

class StateMaker {
 public:
  StateMaker(const Tensor& parameter, bool keeps_master)
      : parameter_(parameter),
        elements_(Numel(parameter.meta.size_span())),
        item_(keeps_master && IsShort(parameter) ? kFloatBytes : ItemSize(parameter.meta.dtype)) {
    if (keeps_master && IsShort(parameter)) Add("master weights of", elements_ * kFloatBytes);
  }

  std::vector<OptimizerState> Make(Optimizer optimizer) {
    switch (optimizer) {
      case Optimizer::kNone:
      case Optimizer::kSgd: break;
      case Optimizer::kMomentum: Add("momentum of", elements_ * item_); break;
      case Optimizer::kAdam:
      case Optimizer::kAdamW:
        AddMoments(elements_ * item_);
        Add("step of", kFloatBytes);
        break;
      case Optimizer::kAdafactor: AddFactors(); break;
      case Optimizer::kAdam8bit: AddQuantised(); break;
    }
    return std::move(states_);
  }

 private:
  void Add(std::string_view role, Dim bytes) { states_.push_back({role, bytes}); }

  void AddMoments(Dim bytes) {
    Add("first moment of", bytes);
    Add("second moment of", bytes);
  }

  // Source: torch/optim/_adafactor.py: one number for each row and each column, for a vector one for each element.
  void AddFactors() {
    const DimSpan sizes = parameter_.meta.size_span();
    Add("step of", kFloatBytes);
    if (sizes.size() < 2) return Add("variance of", elements_ * item_);
    Add("row variance of", Numel(sizes.first(sizes.size() - 1)) * item_);
    Add("column variance of", Numel(sizes.first(sizes.size() - 2)) * sizes[sizes.size() - 1] * item_);
  }

  void AddQuantised() {
    if (elements_.Hint().value_or(0) < kLeast8bit) return AddMoments(elements_ * kFloatBytes);
    const Dim scales = CeilDiv(elements_, kBlock) * Dim(kFloatBytes);
    AddMoments(elements_ + scales);
  }

  const Tensor& parameter_;
  Dim elements_;
  int64_t item_;
  std::vector<OptimizerState> states_;
};

constexpr std::string_view kNames[] = {"none", "sgd", "momentum", "adam", "adamw", "adafactor", "adam8bit"};

}  // namespace

std::string_view Name(Optimizer optimizer) { return kNames[static_cast<size_t>(optimizer)]; }

std::vector<OptimizerState> StatesOf(Optimizer optimizer, const Tensor& parameter, bool keeps_master) {
  std::vector<OptimizerState> states = StateMaker(parameter, keeps_master).Make(optimizer);
  for (OptimizerState& state : states) state.bytes = WithEqualities(state.bytes);
  return states;
}

// Source: the loops over parameters in torch/optim (torch 2.13), such as `denom` in adam.py, and their foreach forms,
// such as `exp_avg_sq_sqrt`.
int StepTensors(Optimizer optimizer, UpdateForm form) {
  switch (optimizer) {
    case Optimizer::kNone:
    case Optimizer::kSgd:
    case Optimizer::kMomentum:
    case Optimizer::kAdam8bit: return 0;
    case Optimizer::kAdafactor: return 1;
    case Optimizer::kAdam:
    case Optimizer::kAdamW: return form == UpdateForm::kFused ? 0 : form == UpdateForm::kForeach ? 1 : 2;
  }
  return 0;
}

bool IsQuantised(Optimizer optimizer, const Tensor& parameter) {
  return optimizer == Optimizer::kAdam8bit && Numel(parameter.meta.size_span()).Hint().value_or(0) >= kLeast8bit;
}

}  // namespace fakeprop
