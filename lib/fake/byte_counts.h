// Bytes in the storages of a mode, by device. Several threads may count.
#pragma once

#include <c10/core/Device.h>

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace fakeprop::fake {

// As long as it lives, it follows what its thread adds to the counts of modes.
class ByteWatch {
 public:
  ByteWatch();
  ~ByteWatch();
  ByteWatch(const ByteWatch&) = delete;

  struct Bytes {
    c10::Device device;
    int64_t live = 0, peak = 0;  // since the watch began
  };
  const std::vector<Bytes>& bytes() const { return bytes_; }

 private:
  friend class ByteCounts;
  static ByteWatch*& Innermost();
  void Note(c10::Device device, int64_t bytes);

  std::vector<Bytes> bytes_;
  ByteWatch* const outer_;
};

class ByteCounts {
 public:
  ByteCounts() = default;
  ~ByteCounts();
  ByteCounts(const ByteCounts&) = delete;

  // Storages were made, freed or resized: adds this many bytes.
  void Add(c10::Device device, int64_t bytes);
  int64_t Live(c10::Device device) const;
  // The most since the last reset.
  int64_t Peak(c10::Device device) const;
  void ResetPeak(c10::Device device);

 private:
  struct Count {
    std::atomic<int64_t> live = 0, peak = 0;
  };
  using Counts = std::array<Count, 1 + 128>;  // by index; the first one is for devices without index
  static constexpr size_t kTypes = static_cast<size_t>(c10::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);

  static size_t NumberOf(c10::Device device) {
    return device.has_index() ? 1 + static_cast<size_t>(device.index()) : 0;
  }
  Counts& Of(c10::DeviceType type);
  const Count* Find(c10::Device device) const;

  std::mutex mutex_;  // held while the counts of a type are made
  std::array<std::atomic<Counts*>, kTypes> by_type_ = {};
};

}  // namespace fakeprop::fake
