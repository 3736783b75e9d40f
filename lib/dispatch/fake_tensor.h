// Single fake tensors: meta tensors that are marked with the device that they stand for. Source:
// c10::TensorImpl::set_fake_device (torch 2.13).
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "lib/dispatch/torch_types.h"
#include "lib/meta/objects.h"

namespace fakeprop::dispatch {

// The device with its index. If it has none, but devices of its type have one, it is that of the thread's current
// device: "cuda" is "cuda:0" unless a device guard says otherwise.
c10::Device WithIndex(c10::Device device);

// A storage without memory: a read or write of its data is an error. It remembers its device, and holds the current
// host's context.
c10::Storage MakeFakeStorage(Dim nbytes, c10::Device device);

// From now on a read or write of its data is an error, as far as the current host forbids it.
void ForbidData(c10::StorageImpl& storage);
// Takes back what forbids to read.
void AllowReading(c10::StorageImpl& storage);

// A fake tensor of this class keeps its device when LibTorch copies metadata (saved variables, set_data). It also owns
// the host's attachment.
class FakeTensorImpl final : public c10::TensorImpl {
 public:
  using c10::TensorImpl::TensorImpl;
  ~FakeTensorImpl() override;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      const c10::VariableVersion& version, bool allow_metadata_change) const override;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      c10::VariableVersion&& version, bool allow_metadata_change) const override;
  void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& from) override;
  void release_resources() override;
  // LibTorch adds room for symbolic sizes only to tensors without other extra fields. The device of a fake is such a
  // field, so this adds the room.
  void MakeRoomForSymbols();
  // If sizes are symbols, these ask `to_number`.
  c10::IntArrayRef sizes_custom() const override;
  int64_t size_custom(int64_t d) const override;
  c10::IntArrayRef strides_custom() const override;
  int64_t numel_custom() const override;
  int64_t storage_offset_custom() const override;
  // LibTorch asks this before every access to data, and the next to show the storage.
  bool has_storage() const override;
  const c10::Storage& storage() const override;

  // For a meta tensor: does what `set_fake_device` does, but faster.
  void SetDevice(c10::Device device);
  // Copies sizes, strides, offset and dtype of a tensor of LibTorch's class or of this one.
  void CopyMetadata(const c10::TensorImpl& model);

  // Takes over the metadata and the storage of another tensor: a fake becomes a real tensor, or fake again. What
  // autograd knows of this tensor stays.
  void Become(const c10::TensorImpl& other);

  std::shared_ptr<void> attachment;  // released when the tensor dies
  std::shared_ptr<void> recording;   // of lib/deferred_init; released likewise
  std::shared_ptr<Memos> memos;      // Host::MemosOf

  // The number for a symbol of the tensor, which `asked` ("sizes") wants, or an error. Null: always an error.
  static inline std::atomic<int64_t (*)(const FakeTensorImpl& impl, const c10::SymInt& symbol, const char* asked)>
      to_number = nullptr;

  // Called when the data of a tensor with a `recording` may be wanted. It may make the tensor real.
  static inline std::atomic<void (*)(const FakeTensorImpl& impl)> on_data_access = nullptr;

 private:
  // Says why the data of the storage cannot be read.
  void AddMessage() const;

  using Numbers = std::vector<int64_t>;
  int64_t NumberFor(const c10::SymInt& symbol, const char* asked) const;
  c10::IntArrayRef NumbersFor(c10::SymIntArrayRef symbols, Numbers& numbers, const char* asked) const;

  // Sizes and strides as numbers, if they are symbols and were asked for.
  mutable Numbers sizes_as_numbers_, strides_as_numbers_;
};

[[noreturn]] void FailSymbolic(const char* asked);

// Null if the tensor has no storage. No access to data, as `has_storage` announces one.
inline c10::StorageImpl* StorageOf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl() : nullptr;
}

// A tensor with this metadata on this storage. Autograd does not know it.
at::Tensor MakeFakeTensor(const TensorMeta& meta, c10::Storage storage);
// The same for an alias of a tensor with these dispatch keys. It is an inference tensor if that tensor is one, in and
// outside of inference mode. Source: alias_with_sizes_and_strides (aten/src/ATen/native/TensorShape.cpp).
at::Tensor MakeFakeAlias(const TensorMeta& meta, c10::Storage storage, c10::DispatchKeySet keys);

// Makes a meta tensor a fake one on `device`.
void StampFakeDevice(const at::Tensor& tensor, c10::Device device);
// The result of a Meta kernel as a fake tensor on `device`. A tensor that is fake already is returned as it is.
at::Tensor AsFake(const at::Tensor& made, c10::Device device);
// Gives a fake tensor its device back. When LibTorch makes a tensor by copying metadata (detach), the copy loses the
// device.
void RestoreFakeDevice(const at::Tensor& tensor);
// The device that a fake storage stands for. Nothing for other storages.
std::optional<c10::Device> FakeDeviceOf(const c10::StorageImpl& storage);
// Returns true if the tensor is fake, or is on the device meta, which needs no mark.
bool IsFake(const at::Tensor& tensor);

// As long as it lives, LibTorch may ask the fake tensors among a call's arguments for data pointers to read from
// (Host::forbids_reading). The pointers are null. Kernels ask for them to see if two tensors share storage.
class ReadableScope {
 public:
  explicit ReadableScope(c10::ArrayRef<c10::IValue> arguments);
  ~ReadableScope();
  ReadableScope(const ReadableScope&) = delete;

 private:
  std::vector<c10::Storage> opened_;
};

// Throws an OpError of class UnsupportedOperator if the layout is not strided.
TensorMeta ReadMeta(const at::Tensor& tensor);
// Sets sizes, strides and offset.
void SetGeometry(const at::Tensor& tensor, const TensorMeta& meta);

}  // namespace fakeprop::dispatch
