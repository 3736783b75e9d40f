// Counts the bytes of tensors on the cpu.
#pragma once

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>

namespace fakeprop::deferred_testing {

// As long as it lives, new tensors on the cpu are counted, until they die.
class CountingAllocator final : public c10::Allocator {
 public:
  CountingAllocator() : before_(c10::GetCPUAllocator()) {
    live_ = peak_ = 0;
    c10::SetCPUAllocator(this, /*priority=*/255);
  }
  ~CountingAllocator() override { c10::SetCPUAllocator(before_, /*priority=*/255); }

  int64_t live() const { return live_; }
  int64_t peak() const { return peak_; }

  c10::DataPtr allocate(size_t bytes) override {
    live_ += static_cast<int64_t>(bytes);
    peak_ = std::max(peak_.load(), live_.load());
    auto* block = static_cast<size_t*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
    *block = bytes;
    return {reinterpret_cast<char*>(block) + 64, block, &Free, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void* to, const void* from, size_t count) const override { default_copy_data(to, from, count); }

 private:
  static void Free(void* block) {
    live_ -= static_cast<int64_t>(*static_cast<size_t*>(block));
    std::free(block);
  }

  static inline std::atomic<int64_t> live_ = 0, peak_ = 0;
  c10::Allocator* const before_;
};

}  // namespace fakeprop::deferred_testing
