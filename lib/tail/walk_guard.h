// The walk's state as LibTorch's thread state.
#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/rules/call.h"

namespace fakeprop::tail {

class AutocastGuard {
 public:
  AutocastGuard(c10::DeviceType device, const WalkState::Autocast& autocast);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  ScalarType old_dtype_;
};

// Grad mode, autocast and the default dtype as the walk has them, and the key Fake in every call, for factories have no
// tensor to bring it along.
class WalkGuard {
 public:
  explicit WalkGuard(const WalkState& state);
  ~WalkGuard();
  WalkGuard(const WalkGuard&) = delete;

 private:
  at::AutoGradMode grad_mode_;
  AutocastGuard cpu_;
  AutocastGuard cuda_;
  bool had_autocast_cache_;
  ScalarType old_dtype_;
  c10::impl::ExcludeDispatchKeyGuard no_python_;
  c10::impl::IncludeDispatchKeyGuard fake_;
};

}  // namespace fakeprop::tail
