// Runs operator calls of a graph, or from text, on at::Tensors through LibTorch's dispatcher and a FakeTensorMode. So
// tests of the interpreter also test the second host of the rules.
#pragma once

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop::testing {

// Runs the call under a mode of its own and states its effects; throws OpError.
void RunInMode(Call& call);

class ModeFallback final : public LibTorchFallback {
 public:
  ModeFallback();
  bool Knows(std::string_view name) override;
  void Run(Call& call) override { RunInMode(call); }
  void RunWithoutRule(Call& call) override { RunInMode(call); }
};

}  // namespace fakeprop::testing
