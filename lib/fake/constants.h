// Known data of small fake tensors on the cpu; with follow_known_data on every device but meta. The record of a storage
// holds a real copy of its bytes, on the cpu. The value of a tensor is the part that its sizes, strides and offset
// select. Aliases share the bytes, so a write to one changes the others. Source: FakeTensor.constant,
// FakeTensorMode.dispatch ("Recompute constants"), invalidate_written_to_constants in torch/_subclasses/fake_tensor.py
// (torch 2.13). PyTorch keeps only one element.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

inline constexpr int64_t kMostKnownElements = 1024;

// Real memory.
c10::Storage NewBytes(size_t nbytes);

// If the literal is a small strided cpu tensor, and the fake on a device of which data may be known, the fake gets its
// data. Else does nothing.
void RememberLiteral(const at::Tensor& fake, const at::Tensor& literal);
// The same for a fake of one element.
void RememberNumber(const at::Tensor& fake, const c10::Scalar& number);
// A real cpu tensor of these elements, with these sizes and this dtype.
at::Tensor RealOf(const std::vector<Value>& elements, const TensorMeta& meta);
// A real tensor with the value of a fake, on the data that its aliases share. Undefined if the value is not known.
at::Tensor KnownValue(const at::Tensor& fake);
// From now on these are the bytes of the fake's storage. On the cpu its data pointer gives access to them, which
// LibTorch's recurrent networks need for the sizes of packed batches.
void SetKnown(const at::Tensor& fake, c10::Storage bytes);
void Forget(const at::Tensor& fake);
// The storage has no memory that a data pointer could read.
void Hide(const at::Tensor& fake);

// Keeps known data right over one call.
class ConstantsCall {
 public:
  // Construct it before the call. If all tensors are known, and the call is cheap and deterministic, runs the real
  // kernel on them.
  ConstantsCall(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  bool has_run() const { return results_.has_value(); }
  // If the results are of a size, or are numbers, that only data tells, and the kernel has told them, puts them in
  // place of the arguments.
  bool AnswerByData(torch::jit::Stack& stack);
  // Call it after the call, with the results on the stack. Gives the results the data that the kernel computed. Forgets
  // the data of all other tensors that were written to.
  void Finish(const torch::jit::Stack& stack);

 private:
  void Run(const torch::jit::Stack& stack);

  const c10::OperatorHandle& op_;
  bool follows_data_ = false;        // the mode of a known argument does
  std::vector<at::Tensor> written_;  // known before the call, and written according to the schema
  std::optional<torch::jit::Stack> results_;
};

}  // namespace fakeprop::fake
