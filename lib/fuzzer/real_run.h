// An operator call by LibTorch's CPU kernels, autograd included, on small tensors with data.
#pragma once

#include <ATen/core/stack.h>

#include "lib/libtorch_fallback/plugin/argument_tensors.h"
#include "lib/rules/core/call.h"

namespace fakeprop::fuzzer {

// What elements are: floating ones lie in (0, 1), in the last two dimensions with a heavy diagonal, so that matrices
// have inverses; integers, which may be indices or divisors, are as said.
enum class Integers { kZerosAndOnes, kZeros, kOnes };

class RealTensors final : public libtorch::ArgumentTensors {
 public:
  explicit RealTensors(Integers integers) : integers_(integers) {}

 protected:
  c10::Storage MakeStorage(const Tensor& t) const override;
  at::Tensor MakeTensor(const TensorMeta& meta, c10::Storage storage) const override;

 private:
  Integers integers_;
};

// The results, of tensors that `tensors` makes. What LibTorch throws is an OpError.
torch::jit::Stack RunReal(const Call& call, libtorch::ArgumentTensors& tensors);

// Whether the call stands on the cpu alone.
bool IsOnCpu(const Call& call);

}  // namespace fakeprop::fuzzer
