// The version of fakeprop, and the versions of torch whose operators and answers it knows.
#pragma once

#include <cstdint>

namespace fakeprop {

inline constexpr char kVersion[] = "0.1.0";
// The release whose answers are given, if a graph does not name an older one.
inline constexpr char kTorchVersion[] = "2.15.0";

// Versions of torch are told by their minor number: 13 is torch 2.13. third_party/torch.bzl has a release of each.
inline constexpr uint8_t kOldestTorch = 13;
inline constexpr uint8_t kNewestTorch = 15;

// The versions that something holds for, both ends included.
struct TorchRange {
  uint8_t since = kOldestTorch;
  uint8_t until = kNewestTorch;

  constexpr bool Has(int torch) const { return since <= torch && torch <= until; }
};

// What a build of torch has beside the cpu's kernels. It shows in the layouts on a cuda device: cuDNN keeps channels
// last, and fused kernels serve attention.
enum class TorchBuild : uint8_t {
  kCpu,   // as "2.13.0+cpu": FakeTensorMode knows cuda devices, but none of CUDA's libraries
  kCuda,  // with CUDA and cuDNN, on a machine with a card
};

}  // namespace fakeprop
