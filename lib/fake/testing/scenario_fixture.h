// Shared by the tests of FakeTensorMode's behaviours.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "fakeprop/fake_tensor_mode.h"

namespace fakeprop::fake_testing {

using Sizes = std::vector<int64_t>;
inline const at::Device kFakeCuda("cuda:0");

inline void ExpectFake(const at::Tensor& t, const Sizes& sizes, at::Device device) {
  EXPECT_TRUE(IsFakeTensor(t));
  EXPECT_EQ(t.sizes().vec(), sizes);
  EXPECT_EQ(t.device(), device);
}

// A mode, and tensors of it on two devices.
class ScenarioFixture : public ::testing::Test {
 protected:
  at::Tensor Cpu(at::IntArrayRef sizes) { return at::rand(sizes, at::device(at::kCPU)); }
  at::Tensor Cuda(at::IntArrayRef sizes) { return at::rand(sizes, at::device(kFakeCuda)); }

  const FakeTensorMode mode;
  const FakeModeGuard on{mode};
};

}  // namespace fakeprop::fake_testing
