// Makes the interpreter's state LibTorch's thread state.
#pragma once

#include <ATen/core/grad_mode.h>
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>
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
  c10::ScalarType old_dtype_;
};

// Sets grad mode, autocast and the default dtype to those of the interpreter. Adds the key Fake to every call, because
// calls of factories have no tensor with this key.
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
  c10::ScalarType old_dtype_;
  c10::impl::ExcludeDispatchKeyGuard no_python_;
  c10::impl::IncludeDispatchKeyGuard fake_;
};

}  // namespace fakeprop::libtorch
