// CUDA's caching allocator: how many bytes it reserves for the blocks of a timeline.
//
// Source: c10/cuda/CUDACachingAllocator.cpp (torch 2.13) with its default settings: one stream, no limit of splits,
// nothing given back to the device.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lib/memory/timeline.h"

namespace fakeprop {

// Memory of one device.
class CachingAllocator {
 public:
  // Returns an address, to be freed. Bytes of 0 have none: -1.
  int64_t Allocate(int64_t bytes);
  void Free(int64_t address);

  // Bytes of the blocks in use, rounded (max_memory_allocated), and of all segments (max_memory_reserved).
  int64_t allocated() const { return allocated_; }
  int64_t reserved() const { return reserved_; }

 private:
  struct Block {
    int64_t size = 0;
    int32_t segment = 0;
    bool is_small = false;
    bool is_free = false;
  };
  using Blocks = std::map<int64_t, Block>;  // by address

  Blocks::iterator TakeFree(int64_t size, bool is_small);
  Blocks::iterator NewSegment(int64_t size, bool is_small);
  void Split(Blocks::iterator block, int64_t size);
  void AddFree(Blocks::iterator block);
  void RemoveFree(Blocks::iterator block);

  Blocks blocks_;
  std::set<std::pair<int64_t, int64_t>> free_[2];  // size and address of free blocks: large, small
  int64_t allocated_ = 0;
  int64_t reserved_ = 0;
  int64_t end_ = 0;  // the address after the last segment
  int32_t segments_ = 0;
};

// The most that a device needs.
struct AllocatorPeak {
  Device device = Device(DeviceType::CUDA);
  int64_t allocated = 0;
  int64_t reserved = 0;
  int32_t step = -1;  // the first step with the most bytes reserved
};
// `bytes` has the size of each block. `workspaces`, which are never freed, are allocated before all else. Blocks are
// allocated in their order at their first step, and freed after their last.
AllocatorPeak ReplayInAllocator(
    const Timeline& timeline, const std::vector<int64_t>& bytes, Device device, const std::vector<int64_t>& workspaces);

// What PyTorch gives cuBLAS to work in for each thread that calls it, except on Hopper, where it is 32 MiB. Source:
// parseChosenWorkspaceSize in aten/src/ATen/cuda/CublasHandlePool.cpp (torch 2.13).
inline constexpr int64_t kCublasWorkspace = 2 * 4096 * 1024 + 8 * 16 * 1024;

}  // namespace fakeprop
