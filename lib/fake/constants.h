// Known data of small fake tensors. A storage's record holds a real copy of its bytes; a tensor's value is what its
// sizes, strides and offset see of that, so aliases share it, and what one writes the others read. Source:
// FakeTensor.constant, FakeTensorMode.dispatch ("Recompute constants"), invalidate_written_to_constants in
// torch/_subclasses/fake_tensor.py (torch 2.13), which keeps one element.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

inline constexpr int64_t kMostKnownElements = 64;

// The literal's data, where it is a small strided cpu tensor, becomes the fake's; else nothing happens.
void RememberLiteral(const at::Tensor& fake, const at::Tensor& literal);
// A real tensor of a fake's value, on the data that its aliases share; undefined where it is not known.
at::Tensor KnownValue(const at::Tensor& fake);
void Forget(const at::Tensor& fake);

// What a call does to known data.
class ConstantsCall {
 public:
  // Before the call: where all its tensors are known and it is cheap and deterministic, runs the real kernel on them.
  ConstantsCall(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  bool has_run() const { return results_.has_value(); }
  // After it, with the results on the stack: gives results the data that the kernel computed, and forgets that of
  // tensors which were written to otherwise.
  void Finish(const torch::jit::Stack& stack);

 private:
  void Run(const torch::jit::Stack& stack);

  const c10::OperatorHandle& op_;
  std::vector<at::Tensor> written_;  // known before, and changed by the schema's word
  std::optional<torch::jit::Stack> results_;
};

}  // namespace fakeprop::fake
