// The state of a thread and of LibTorch that operators depend on, as it was when a call was recorded.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>

namespace fakeprop::deferred_init {

struct ThreadState {
  uint64_t included = 0, excluded = 0;  // dispatch keys of the thread
  bool grad_mode = true, inference_mode = false, forward_grad_mode = true;
  bool deterministic = false, deterministic_warn_only = false, fill_uninitialized = true;
  c10::ScalarType default_dtype = c10::ScalarType::Float;
  c10::ScalarType autocast_cpu = c10::ScalarType::BFloat16, autocast_cuda = c10::ScalarType::Half;

  bool operator==(const ThreadState&) const = default;
};

// The state of this thread. Calls in the same state share one object.
std::shared_ptr<const ThreadState> ReadThreadState();

// As long as it lives, this thread has the given state, but records nothing and makes real tensors.
class ThreadStateScope {
 public:
  explicit ThreadStateScope(const ThreadState& state);
  ~ThreadStateScope();
  ThreadStateScope(const ThreadStateScope&) = delete;

 private:
  const ThreadState saved_;
  const bool saved_cache_;
};

// The state of this thread without grad, inference and autocast: for copies of our own.
ThreadState PlainState();

}  // namespace fakeprop::deferred_init
