#include "lib/fake/mode_state.h"

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/mode_info.h"

namespace fakeprop::fake {
namespace {

void DeleteRecord(void* held) {
  const std::unique_ptr<StorageRecord> record(static_cast<StorageRecord*>(held));
  record->mode->bytes().Add(record->device, -record->nbytes);
}

}  // namespace

c10::DataPtr NewRecord(std::shared_ptr<ModeState> mode, int64_t nbytes, c10::Device device) {
  mode->bytes().Add(device, nbytes);
  auto* record = new StorageRecord{std::move(mode), device, nbytes, {}};
  return {nullptr, record, &DeleteRecord, c10::Device(c10::DeviceType::Meta)};
}

StorageRecord* FindRecord(const at::Tensor& tensor) { return FindRecord(dispatch::StorageOf(tensor)); }

StorageRecord* FindRecord(c10::StorageImpl* storage) {
  if (!storage) return nullptr;
  const c10::DataPtr& held = storage->_mutable_data_ptr_no_checks();
  return held.get_deleter() == &DeleteRecord ? static_cast<StorageRecord*>(held.get_context()) : nullptr;
}

void Recount(const at::Tensor& tensor) {
  StorageRecord* record = FindRecord(tensor);
  const auto nbytes = record ? dispatch::HintedBytes(*dispatch::StorageOf(tensor)) : 0;
  if (!record || record->nbytes == nbytes) return;
  record->mode->bytes().Add(record->device, nbytes - record->nbytes);
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
