// Runs an operator call by LibTorch's CPU kernels, with autograd, on small tensors with data.
#pragma once

#include <ATen/core/stack.h>

#include <string_view>

#include "lib/libtorch_fallback/plugin/argument_tensors.h"
#include "lib/rules/core/call.h"

namespace fakeprop::libtorch {

// The values of integer elements, which may be indices or divisors. Floating elements lie in (0, 1), with a heavy
// diagonal in the last two dimensions, so that matrices have inverses.
enum class Integers { kZerosAndOnes, kZeros, kOnes };

class RealTensors : public ArgumentTensors {
 public:
  explicit RealTensors(Integers integers) : integers_(integers) {}

 protected:
  c10::Storage MakeStorage(const Tensor& t) const override;
  at::Tensor MakeTensor(const TensorMeta& meta, c10::Storage storage) const override;

 private:
  Integers integers_;
};

// Gives a tensor the sizes, strides and marks of `meta`, which has no symbols.
void SetNumbers(const at::Tensor& t, const TensorMeta& meta);

// The results of the call on tensors that `tensors` makes. Throws what LibTorch throws.
torch::jit::Stack RunKernels(const Call& call, ArgumentTensors& tensors);
// The same; LibTorch's exceptions become OpErrors.
torch::jit::Stack RunReal(const Call& call, ArgumentTensors& tensors);

// Returns true if a message of a kernel may be about elements, which metadata cannot know.
bool MayBeAboutData(std::string_view message);

// Returns true if all tensors and device arguments of the call are on the cpu.
bool IsOnCpu(const Call& call);

}  // namespace fakeprop::libtorch
