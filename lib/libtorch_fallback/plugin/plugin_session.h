// The state for the operators that run within one call of the LibTorch fallback, on the thread that runs it.
#pragma once

#include <ATen/core/TensorBody.h>

#include <unordered_map>

#include "lib/dispatch/dispatch_host.h"
#include "lib/libtorch_fallback/plugin/argument_tensors.h"

namespace fakeprop::libtorch {

class Session final : public dispatch::Host {
 public:
  explicit Session(const ExecutionState& state) : Host(state, dispatch::DataPointers::kReadable) {}
  Session(const Session&) = delete;

  ArgumentTensors& arguments() { return arguments_; }

  bool PosesAsPython() const override { return true; }  // the interpreter's guard prevents dispatch by the key
  at::Tensor FakeOf(const at::Tensor& real) override;
  void RememberConstant(const at::Tensor& tensor, Constant constant) override;
  Constant FindConstant(const at::Tensor& tensor) const override;
  Tensor* FindArgument(const c10::TensorImpl* fake) const override { return arguments_.Find(fake); }

 private:
  struct Known {
    at::Tensor tensor;  // keeps the address that is the key from being reused
    Constant constant;
    uint32_t version;
  };
  dispatch::HostScope scope_{this};
  ArgumentTensors arguments_;
  std::unordered_map<const c10::TensorImpl*, std::pair<at::Tensor, at::Tensor>> fakes_;  // a real tensor and its fake
  std::unordered_map<const c10::TensorImpl*, Known> constants_;
};

}  // namespace fakeprop::libtorch
