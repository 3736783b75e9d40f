// Runs an operator call by LibTorch's CPU kernels, with autograd, on small tensors with data.
#pragma once

#include <ATen/core/stack.h>

#include "lib/libtorch_fallback/plugin/argument_tensors.h"
#include "lib/rules/core/call.h"

namespace fakeprop::fuzzer {

// The values of integer elements, which may be indices or divisors. Floating elements lie in (0, 1), with a heavy
// diagonal in the last two dimensions, so that matrices have inverses.
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

// The results of the call on tensors that `tensors` makes. LibTorch's exceptions become OpErrors.
torch::jit::Stack RunReal(const Call& call, libtorch::ArgumentTensors& tensors);

// Returns true if all tensors and device arguments of the call are on the cpu.
bool IsOnCpu(const Call& call);

}  // namespace fakeprop::fuzzer
