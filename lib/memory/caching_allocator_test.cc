// The segments that CUDA's allocator takes, by the rules of c10/cuda/CUDACachingAllocator.cpp.
#include "lib/memory/caching_allocator.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST(CachingAllocator, FirstBlocks) {
  const struct {
    int64_t bytes, allocated, reserved;
  } cases[] = {
      {0, 0, 0},
      {1, 512, 2 * kMiB},
      {513, 1024, 2 * kMiB},
      {kMiB, kMiB, 2 * kMiB},
      {kMiB + 1, kMiB + 512, 20 * kMiB},
      {10 * kMiB - 512, 10 * kMiB - 512, 20 * kMiB},
      {10 * kMiB, 10 * kMiB, 10 * kMiB},
      // Up to 1 MiB of a large segment is not split off.
      {19 * kMiB + 512, 20 * kMiB, 20 * kMiB},
      {21 * kMiB, 22 * kMiB, 22 * kMiB},
  };
  for (const auto& [bytes, allocated, reserved] : cases) {
    CachingAllocator allocator;
    allocator.Allocate(bytes);
    EXPECT_EQ(allocator.allocated(), allocated) << bytes;
    EXPECT_EQ(allocator.reserved(), reserved) << bytes;
  }
}

TEST(CachingAllocator, BlocksShareSegments) {
  CachingAllocator allocator;
  allocator.Allocate(3 * kMiB);
  allocator.Allocate(3 * kMiB);
  EXPECT_EQ(allocator.allocated(), 6 * kMiB);
  EXPECT_EQ(allocator.reserved(), 20 * kMiB);
  // Small blocks have segments of their own.
  allocator.Allocate(1000);
  EXPECT_EQ(allocator.reserved(), 22 * kMiB);
}

TEST(CachingAllocator, FreeNeighboursBecomeOne) {
  CachingAllocator allocator;
  const int64_t a = allocator.Allocate(9 * kMiB), b = allocator.Allocate(9 * kMiB);
  allocator.Free(a);
  allocator.Free(b);
  EXPECT_EQ(allocator.allocated(), 0);
  allocator.Allocate(20 * kMiB);
  EXPECT_EQ(allocator.reserved(), 20 * kMiB);
  // What is freed between two blocks in use takes nothing larger.
  CachingAllocator full;
  const int64_t first = full.Allocate(4 * kMiB);
  full.Allocate(16 * kMiB);  // the rest of the segment
  full.Allocate(15 * kMiB);
  full.Free(first);
  full.Allocate(5 * kMiB);
  EXPECT_EQ(full.reserved(), (20 + 16 + 20) * kMiB);
}

TEST(CachingAllocator, TheSmallestFreeBlockIsTaken) {
  CachingAllocator allocator;
  const int64_t large = allocator.Allocate(40 * kMiB), small = allocator.Allocate(12 * kMiB);
  allocator.Free(large);
  allocator.Free(small);
  EXPECT_EQ(allocator.Allocate(11 * kMiB), small);
  EXPECT_EQ(allocator.allocated(), 12 * kMiB);
  EXPECT_EQ(allocator.Allocate(11 * kMiB), large);
  EXPECT_EQ(allocator.reserved(), 52 * kMiB);
}

TEST(CachingAllocator, ATimelineIsReplayed) {
  const Device cuda(DeviceType::CUDA, 0), cpu(DeviceType::CPU);
  Timeline timeline;
  timeline.steps.resize(3);
  timeline.blocks = {{Dim(0), cuda, 0, 2}, {Dim(0), cuda, 0, 1}, {Dim(0), cpu, 0, 2}, {Dim(0), cuda, 2, 2}};
  const AllocatorPeak peak =
      ReplayInAllocator(timeline, {12 * kMiB, 30 * kMiB, 99 * kMiB, 25 * kMiB}, cuda, {kCublasWorkspace});
  EXPECT_EQ(peak.allocated, 12 * kMiB + 30 * kMiB + kCublasWorkspace);
  EXPECT_EQ(peak.reserved, (12 + 30 + 20) * kMiB);
  EXPECT_EQ(peak.step, 0);
}

}  // namespace
}  // namespace fakeprop
