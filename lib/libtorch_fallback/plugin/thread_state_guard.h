// The walk's state as LibTorch's thread state.
#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/rules/core/call.h"

namespace fakeprop::libtorch {

class AutocastGuard {
 public:
  AutocastGuard(c10::DeviceType device, const ExecutionState::Autocast& autocast);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  ScalarType old_dtype_;
};

// Grad mode, autocast and the default dtype as the interpreter has them, and the key Fake in every call, for factories
// have no tensor to bring it along.
class ThreadStateGuard {
 public:
  explicit ThreadStateGuard(const ExecutionState& state);
  ~ThreadStateGuard();
  ThreadStateGuard(const ThreadStateGuard&) = delete;

 private:
  at::AutoGradMode grad_mode_;
  AutocastGuard cpu_;
  AutocastGuard cuda_;
  bool had_autocast_cache_;
  ScalarType old_dtype_;
  c10::impl::ExcludeDispatchKeyGuard no_python_;
  c10::impl::IncludeDispatchKeyGuard fake_;
};

}  // namespace fakeprop::libtorch
