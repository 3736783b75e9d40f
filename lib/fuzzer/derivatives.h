// A call forward and backward on fake tensors, compared with real tensors on the cpu.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::fuzzer {

struct DerivativeVerdict {
  enum class Kind {
    kAgree,
    kDiffer,  // the metadata of results or gradients differs
    kFails,   // an error on fakes
    kNone,    // real tensors fail, or nothing requires grad
  };
  Kind kind = Kind::kNone;
  std::string op;      // "aten::mul.Tensor"
  std::string device;  // of the fakes
  std::string what;
};

// A verdict for each of the devices that fakes are put on: the cpu, cuda, and a third one. If the text is not a call of
// an operator on the cpu, or if nothing requires grad, there are none.
std::vector<DerivativeVerdict> JudgeDerivative(const std::string& call_text);

// The same for many calls, in child processes, because a kernel can end its process.
std::vector<std::vector<DerivativeVerdict>> JudgeDerivatives(const std::vector<std::string>& calls);

}  // namespace fakeprop::fuzzer
