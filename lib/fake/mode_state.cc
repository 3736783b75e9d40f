#include "lib/fake/mode_state.h"

#include <algorithm>
#include <mutex>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/mode_info.h"

namespace fakeprop::fake {
namespace {

void DeleteRecord(void* held) {
  const std::unique_ptr<StorageRecord> record(static_cast<StorageRecord*>(held));
  record->mode->Count(record->device, -record->nbytes);
}

std::pair<int, int> KeyOf(c10::Device device) { return {static_cast<int>(device.type()), device.index()}; }

}  // namespace

void ModeState::Count(c10::Device device, int64_t bytes) {
  const std::lock_guard lock(bytes_mutex_);
  Bytes& counted = bytes_[KeyOf(device)];
  counted.live += bytes;
  counted.peak = std::max(counted.peak, counted.live);
}

ModeState::Bytes ModeState::BytesOn(c10::Device device) const {
  const std::lock_guard lock(bytes_mutex_);
  const auto it = bytes_.find(KeyOf(device));
  return it == bytes_.end() ? Bytes() : it->second;
}

void ModeState::ResetPeak(c10::Device device) {
  const std::lock_guard lock(bytes_mutex_);
  Bytes& counted = bytes_[KeyOf(device)];
  counted.peak = counted.live;
}

c10::DataPtr NewRecord(std::shared_ptr<ModeState> mode, int64_t nbytes, c10::Device device) {
  mode->Count(device, nbytes);
  auto* record = new StorageRecord{std::move(mode), device, nbytes, {}};
  return {nullptr, record, &DeleteRecord, c10::Device(c10::DeviceType::Meta)};
}

StorageRecord* FindRecord(const at::Tensor& tensor) {
  c10::StorageImpl* storage = dispatch::StorageOf(tensor);
  if (!storage) return nullptr;
  const c10::DataPtr& held = storage->_mutable_data_ptr_no_checks();
  return held.get_deleter() == &DeleteRecord ? static_cast<StorageRecord*>(held.get_context()) : nullptr;
}

void Recount(const at::Tensor& tensor) {
  StorageRecord* record = FindRecord(tensor);
  const auto nbytes = record ? dispatch::HintedBytes(tensor.storage()) : 0;
  if (!record || record->nbytes == nbytes) return;
  record->mode->Count(record->device, nbytes - record->nbytes);
  record->nbytes = nbytes;
}

ModeState* ModeOf(const at::Tensor& tensor) {
  const StorageRecord* record = FindRecord(tensor);
  return record ? record->mode.get() : nullptr;
}

const ModeInfo* CurrentInfo() {
  const auto* info = static_cast<const ModeInfo*>(c10::ThreadLocalDebugInfo::get(kModeInfo));
  while (info && info->has_ended.load(std::memory_order_relaxed)) info = info->outer.get();
  return info;
}

std::shared_ptr<ModeState> CurrentMode() {
  const ModeInfo* info = CurrentInfo();
  return info ? info->mode : nullptr;
}

bool& IsCopying() {
  thread_local bool copying = false;
  return copying;
}

std::vector<at::Tensor>*& Posed() {
  thread_local std::vector<at::Tensor>* posed = nullptr;
  return posed;
}

}  // namespace fakeprop::fake
