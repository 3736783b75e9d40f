#include "lib/memory/caching_allocator.h"

#include <algorithm>
#include <iterator>

namespace fakeprop {
namespace {

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr int64_t kMinBlockSize = 512;    // sizes are multiples of it
constexpr int64_t kSmallSize = 1 * kMiB;  // up to here a block is in a segment of kSmallBuffer
constexpr int64_t kSmallBuffer = 2 * kMiB;
constexpr int64_t kLargeBuffer = 20 * kMiB;  // the segment of blocks below kMinLargeAlloc
constexpr int64_t kMinLargeAlloc = 10 * kMiB;
constexpr int64_t kRoundLarge = 2 * kMiB;  // segments of larger blocks are multiples of it

int64_t RoundUp(int64_t bytes, int64_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

int64_t SegmentSize(int64_t size) {
  if (size <= kSmallSize) return kSmallBuffer;
  return size < kMinLargeAlloc ? kLargeBuffer : RoundUp(size, kRoundLarge);
}

}  // namespace

int64_t CachingAllocator::Allocate(int64_t bytes) {
  if (bytes <= 0) return -1;
  const int64_t size = RoundUp(bytes, kMinBlockSize);
  const bool is_small = size <= kSmallSize;
  auto block = TakeFree(size, is_small);
  if (block == blocks_.end()) block = NewSegment(SegmentSize(size), is_small);
  const int64_t left = block->second.size - size;
  if (is_small ? left >= kMinBlockSize : left > kSmallSize) Split(block, size);
  allocated_ += block->second.size;
  return block->first;
}

void CachingAllocator::Free(int64_t address) {
  if (address < 0) return;
  auto block = blocks_.find(address);
  allocated_ -= block->second.size;
  const auto absorb = [&](Blocks::iterator into, Blocks::iterator other) {
    into->second.size += other->second.size;
    blocks_.erase(other);
  };
  if (const auto next = std::next(block);
      next != blocks_.end() && next->second.is_free && next->second.segment == block->second.segment) {
    RemoveFree(next);
    absorb(block, next);
  }
  if (block != blocks_.begin()) {
    const auto before = std::prev(block);
    if (before->second.is_free && before->second.segment == block->second.segment) {
      RemoveFree(before);
      absorb(before, block);
      block = before;
    }
  }
  AddFree(block);
}

// The smallest free block that is large enough, as the allocator searches.
CachingAllocator::Blocks::iterator CachingAllocator::TakeFree(int64_t size, bool is_small) {
  const auto found = free_[is_small].lower_bound({size, 0});
  if (found == free_[is_small].end()) return blocks_.end();
  const auto block = blocks_.find(found->second);
  RemoveFree(block);
  return block;
}

CachingAllocator::Blocks::iterator CachingAllocator::NewSegment(int64_t size, bool is_small) {
  const auto block = blocks_.emplace(end_, Block{size, segments_++, is_small, false}).first;
  end_ += size;
  reserved_ += size;
  return block;
}

void CachingAllocator::Split(Blocks::iterator block, int64_t size) {
  Block rest = block->second;
  rest.size -= size;
  block->second.size = size;
  AddFree(blocks_.emplace(block->first + size, rest).first);
}

void CachingAllocator::AddFree(Blocks::iterator block) {
  block->second.is_free = true;
  free_[block->second.is_small].emplace(block->second.size, block->first);
}

void CachingAllocator::RemoveFree(Blocks::iterator block) {
  block->second.is_free = false;
  free_[block->second.is_small].erase({block->second.size, block->first});
}

AllocatorPeak ReplayInAllocator(const Timeline& timeline, const std::vector<int64_t>& bytes, Device device,
    const std::vector<int64_t>& workspaces) {
  std::vector<std::vector<size_t>> births(timeline.steps.size()), deaths(timeline.steps.size());
  for (size_t i = 0; i < timeline.blocks.size(); ++i) {
    if (!(timeline.blocks[i].device == device)) continue;
    births[timeline.blocks[i].first].push_back(i);
    deaths[timeline.blocks[i].last].push_back(i);
  }
  CachingAllocator allocator;
  AllocatorPeak peak{device};
  for (int64_t workspace : workspaces) allocator.Allocate(workspace);
  std::vector<int64_t> addresses(timeline.blocks.size());
  for (size_t step = 0; step < timeline.steps.size(); ++step) {
    for (size_t block : births[step]) addresses[block] = allocator.Allocate(bytes[block]);
    peak.allocated = std::max(peak.allocated, allocator.allocated());
    if (allocator.reserved() > peak.reserved) {
      peak.reserved = allocator.reserved();
      peak.step = static_cast<int32_t>(step);
    }
    for (size_t block : deaths[step]) allocator.Free(addresses[block]);
  }
  return peak;
}

}  // namespace fakeprop
