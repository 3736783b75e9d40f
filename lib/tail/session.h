// What holds for the operators called within one call of the tail, on the thread that runs it.
#pragma once

#include <ATen/core/TensorBody.h>

#include <unordered_map>

#include "lib/rules/call.h"
#include "lib/tail/argument_tensors.h"

namespace fakeprop::tail {

class Session {
 public:
  Session(const WalkState& state, std::string_view judged);
  ~Session();
  Session(const Session&) = delete;

  // The innermost session of this thread, or null.
  static Session* Current();

  const WalkState& state() const { return state_; }
  ArgumentTensors& arguments() { return arguments_; }
  // Whether our rule for the operator is left out.
  bool IsJudged(std::string_view op) const { return op == judged_; }

  // The fake tensor that stands in for a real one, the same for the same: LibTorch makes real 0-dim tensors of numbers
  // without asking the dispatcher.
  at::Tensor FakeOf(const at::Tensor& real);

  // What is known of a fake tensor's data, until it is written to.
  void RememberConstant(const at::Tensor& tensor, Constant constant);
  Constant FindConstant(const at::Tensor& tensor) const;

 private:
  struct Known {
    at::Tensor tensor;  // keeps the key below from being reused
    Constant constant;
    uint32_t version;
  };
  const WalkState& state_;
  const std::string_view judged_;
  Session* outer_;
  ArgumentTensors arguments_;
  std::unordered_map<const c10::TensorImpl*, std::pair<at::Tensor, at::Tensor>> fakes_;  // of a real one: it and its fake
  std::unordered_map<const c10::TensorImpl*, Known> constants_;
};

}  // namespace fakeprop::tail
