// Composites by the results of earlier equal calls.
//
// LibTorch runs a composite above autograd, by its parts. The first call of a kind runs in this way. Later ones with
// the same key (call_key.h) get results of the same metadata at once, and count what the parts held meanwhile.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <optional>

#include "lib/fake/call_key.h"

namespace fakeprop::fake {

// Whether a call may be served by an earlier one. Not if autograd follows it, and only if nothing but a mode changes
// how this thread dispatches: no autocast, which casts before the parts, no recording, no tracing.
class CallState {
 public:
  void Look(const at::Tensor& t);
  void Look(const std::optional<at::Tensor>& t) {
    if (t) Look(*t);
  }
  template <typename NoTensor>
  void Look(const NoTensor&) {}
  bool MayRepeat() const;

 private:
  bool has_fake_ = false, is_followed_ = false;
};

class RepeatedComposite {
 public:
  // CallState must allow it.
  RepeatedComposite(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  // Puts the results in place of the arguments. Returns false if there was no equal call before.
  bool ServeAgain();
  // Runs the call by its parts, which `by_parts` does on the stack, and keeps its results for others.
  void Run(const std::function<void()>& by_parts);

 private:
  bool Read(c10::ArrayRef<c10::IValue> arguments);

  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  CallKey key_;
  bool has_key_ = false;
};

// Serves a boxed call, by an earlier one or by `by_parts`.
void ServeRepeated(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::function<void()>& by_parts);

// Composites of many parts, and those that programs call most, are served so. Call this once, before making the first
// fake.
void RegisterRepeatedComposites();

// Registers a kernel of a composite for fakes, at the keys of autograd.
void RegisterAboveAutograd(const c10::OperatorHandle& op, c10::KernelFunction kernel);
void Register(const c10::OperatorHandle& op, c10::DispatchKey key, c10::KernelFunction kernel);

}  // namespace fakeprop::fake
