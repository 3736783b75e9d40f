#include "lib/fake/byte_counts.h"

#include <algorithm>

namespace fakeprop::fake {

ByteWatch::ByteWatch() : outer_(Innermost()) { Innermost() = this; }
ByteWatch::~ByteWatch() { Innermost() = outer_; }

ByteWatch*& ByteWatch::Innermost() {
  thread_local ByteWatch* innermost = nullptr;
  return innermost;
}

void ByteWatch::Note(c10::Device device, int64_t bytes) {
  auto it = std::find_if(bytes_.begin(), bytes_.end(), [&](const Bytes& b) { return b.device == device; });
  if (it == bytes_.end()) it = bytes_.insert(it, {device});
  it->live += bytes;
  it->peak = std::max(it->peak, it->live);
  if (outer_) outer_->Note(device, bytes);
}

ByteCounts::~ByteCounts() {
  for (std::atomic<Counts*>& counts : by_type_) delete counts.load();
}

ByteCounts::Counts& ByteCounts::Of(c10::DeviceType type) {
  std::atomic<Counts*>& slot = by_type_[static_cast<size_t>(type)];
  if (Counts* made = slot.load(std::memory_order_acquire)) return *made;
  const std::lock_guard lock(mutex_);
  if (!slot.load()) slot.store(new Counts, std::memory_order_release);
  return *slot.load();
}

const ByteCounts::Count* ByteCounts::Find(c10::Device device) const {
  const Counts* made = by_type_[static_cast<size_t>(device.type())].load(std::memory_order_acquire);
  return made ? &(*made)[NumberOf(device)] : nullptr;
}

void ByteCounts::Add(c10::Device device, int64_t bytes) {
  Count& count = Of(device.type())[NumberOf(device)];
  const int64_t live = count.live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = count.peak.load(std::memory_order_relaxed);
  while (peak < live && !count.peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {}
  if (ByteWatch* watch = ByteWatch::Innermost()) watch->Note(device, bytes);
}

int64_t ByteCounts::Live(c10::Device device) const {
  const Count* count = Find(device);
  return count ? count->live.load() : 0;
}

int64_t ByteCounts::Peak(c10::Device device) const {
  const Count* count = Find(device);
  return count ? count->peak.load() : 0;
}

void ByteCounts::ResetPeak(c10::Device device) {
  Count& count = Of(device.type())[NumberOf(device)];
  count.peak.store(count.live.load());
}

}  // namespace fakeprop::fake
