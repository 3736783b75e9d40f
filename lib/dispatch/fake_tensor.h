// Single fake tensors: meta tensors stamped with the device that they stand for.
// Source: c10::TensorImpl::set_fake_device (torch 2.13).
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <vector>

#include "lib/meta/objects.h"

namespace fakeprop::dispatch {

// The device with the index 0 where it has none and devices of its type have one: "cuda" is "cuda:0".
Device WithIndex(Device device);

// A storage without memory: a read or write of its data is an error. It remembers its device, and holds the current
// host's context.
c10::Storage MakeFakeStorage(Dim nbytes, Device device);

// A fake tensor of this class stays one of its device where LibTorch copies metadata (saved variables, set_data), and
// holds what a host attaches to it until it dies.
class FakeTensorImpl final : public c10::TensorImpl {
 public:
  using c10::TensorImpl::TensorImpl;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      const c10::VariableVersion& version, bool allow_metadata_change) const override;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      c10::VariableVersion&& version, bool allow_metadata_change) const override;
  void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& from) override;
  void release_resources() override;
  // LibTorch makes room for symbolic sizes in tensors that have no other extras, and a fake's device is one.
  void MakeRoomForSymbols();
  // What only numbers can answer is an error where sizes are symbols.
  c10::IntArrayRef sizes_custom() const override;
  c10::IntArrayRef strides_custom() const override;
  int64_t numel_custom() const override;
  int64_t storage_offset_custom() const override;

  std::shared_ptr<void> attachment;  // let go when the tensor dies
  std::shared_ptr<Memos> memos;      // Host::MemosOf
};

// A tensor with this metadata on this storage, unknown to autograd.
at::Tensor MakeFakeTensor(const TensorMeta& meta, c10::Storage storage);

// Makes a meta tensor a fake one on `device`.
void StampFakeDevice(const at::Tensor& tensor, Device device);
// What a Meta kernel has made, as a fake tensor on `device`; one that is fake already, as it is.
at::Tensor AsFake(const at::Tensor& made, Device device);
// Gives a fake tensor its device back where LibTorch has made it as a copy of another's metadata (detach), which leaves
// the device behind.
void RestoreFakeDevice(const at::Tensor& tensor);
// The device that a fake storage stands for; nothing for others.
std::optional<Device> FakeDeviceOf(const c10::StorageImpl& storage);
// Fake, or on the device meta, which needs no stamp.
bool IsFake(const at::Tensor& tensor);

// While it stands, the fake tensors among a call's arguments let LibTorch ask for their data pointers, which are null,
// to read from (Host::ForbidsReading): kernels ask for them to see whether two tensors share storage.
class ReadableScope {
 public:
  explicit ReadableScope(c10::ArrayRef<c10::IValue> arguments);
  ~ReadableScope();
  ReadableScope(const ReadableScope&) = delete;

 private:
  std::vector<c10::Storage> opened_;
};

// A tensor of another layout than strided is an OpError of class UnsupportedOperator.
TensorMeta ReadMeta(const at::Tensor& tensor);
// Sizes, strides, offset.
void SetGeometry(const at::Tensor& tensor, const TensorMeta& meta);

}  // namespace fakeprop::dispatch
