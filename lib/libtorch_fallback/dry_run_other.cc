#include "lib/libtorch_fallback/dry_run.h"

// Without the plug-in there is nothing to protect from (open_libtorch_other.cc).
namespace fakeprop {

DryRunFallback::DryRunFallback(unsigned most_seconds) : most_seconds_(most_seconds) {}

DryRunFallback::~DryRunFallback() = default;

LibTorchFallback* DryRunFallback::Before(LibTorchFallback* libtorch) {
  libtorch_ = libtorch;
  return libtorch ? this : nullptr;
}

void DryRunFallback::Run(Call& call) { libtorch_->Run(call); }

void DryRunFallback::RunWithoutRule(Call& call) { libtorch_->RunWithoutRule(call); }

}  // namespace fakeprop
