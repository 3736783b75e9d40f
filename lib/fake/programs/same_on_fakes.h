// Runs a program on real tensors of the cpu, then on fakes of several devices, and compares what it saw of them.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/fake/programs/trace.h"

namespace fakeprop::programs {

using PipelineProgram = std::function<void(torch::Device first, torch::Device second, Trace& trace)>;
using Program = std::function<void(torch::Device device, Trace& trace)>;

inline void ExpectSameOnFakes(const PipelineProgram& program, const FakeTensorModeOptions& options) {
  torch::manual_seed(0);
  Trace real;
  ASSERT_NO_THROW(program(torch::kCPU, torch::kCPU, real));
  ASSERT_FALSE(real.lines().empty());
  for (const auto& [first, second] :
      {std::pair("cpu", "cpu"), std::pair("cuda:0", "cuda:1"), std::pair("xpu:0", "xpu:1")}) {
    SCOPED_TRACE(first);
    const FakeTensorMode mode(options);
    const FakeModeGuard on(mode);
    Trace fake;
    ASSERT_NO_THROW(program(torch::Device(first), torch::Device(second), fake));
    EXPECT_EQ(fake.lines(), real.lines());
  }
}

inline void ExpectSameOnFakes(const Program& program, FakeTensorModeOptions options = {}) {
  options.unknown_floats_are_nan = options.save_zeros = true;
  ExpectSameOnFakes([&](torch::Device device, torch::Device, Trace& trace) { program(device, trace); }, options);
}

}  // namespace fakeprop::programs
