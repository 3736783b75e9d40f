#include "lib/dispatch/fake_tensor.h"

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>

#include "lib/dispatch/accelerator_hooks.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_devices.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/held_storage.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/error/error.h"

namespace fakeprop::dispatch {
namespace {

std::vector<c10::SymInt> Symbols(DimSpan dims) {
  std::vector<c10::SymInt> symbols;
  for (Dim d : dims) symbols.push_back(ToSymInt(d));
  return symbols;
}

bool IsSymbolic(const TensorMeta& meta) {
  bool symbolic = meta.storage_offset.IsSymbolic();
  for (Dim size : meta.sizes) symbolic |= size.IsSymbolic();
  for (Dim stride : meta.strides) symbolic |= stride.IsSymbolic();
  return symbolic;
}

// Allocates no memory, as LibTorch's own meta allocator. There are two for each device, so the allocator of a storage
// tells the device of its tensors, and whether the message is missing that a read of its data ends in.
struct NoAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t) override { return {nullptr, c10::Device(c10::DeviceType::Meta)}; }
  c10::DeleterFnPtr raw_deleter() const override {
    return [](void*) {};
  }
  void copy_data(void*, const void*, size_t) const override {}
};

// The allocators of all devices, in order. They are kept until the process ends, because storages may outlive static
// objects.
class Allocators {
 public:
  static Allocators& All() {
    static auto* const all = new Allocators;
    return *all;
  }

  NoAllocator* For(c10::Device device) { return &all_[NumberOf(device)]; }
  NoAllocator* WithoutMessageFor(c10::Device device) { return &all_[kDevices + NumberOf(device)]; }

  bool IsWithoutMessage(const c10::Allocator* allocator) const { return NumberOf(allocator).value_or(0) >= kDevices; }

  // Nothing for other allocators.
  std::optional<c10::Device> DeviceOf(const c10::Allocator* allocator) const {
    auto number = NumberOf(allocator);
    if (!number) return std::nullopt;
    *number %= kDevices;
    return c10::Device(static_cast<c10::DeviceType>(*number / kIndices),
        static_cast<c10::DeviceIndex>(static_cast<int>(*number % kIndices) - 1));
  }

 private:
  static constexpr size_t kTypes = static_cast<size_t>(c10::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
  static constexpr size_t kIndices = 1 + 128;  // with none
  static constexpr size_t kDevices = kTypes * kIndices;

  static size_t NumberOf(c10::Device device) {
    const int index = device.has_index() ? device.index() + 1 : 0;
    return static_cast<size_t>(device.type()) * kIndices + static_cast<size_t>(index);
  }
  // Other allocators may be destroyed already, so this does not access them.
  std::optional<size_t> NumberOf(const c10::Allocator* allocator) const {
    const auto* ours = static_cast<const NoAllocator*>(allocator);
    const NoAllocator* first = all_.data();
    if (!std::less_equal()(first, ours) || !std::less()(ours, first + all_.size())) return std::nullopt;
    return static_cast<size_t>(ours - first);
  }

  std::array<NoAllocator, 2 * kDevices> all_;
};

c10::DataPtr NewContext(int64_t nbytes, c10::Device device) {
  Host* host = Host::Current();
  return host ? host->NewStorageContext(nbytes, device) : c10::DataPtr(nullptr, c10::Device(c10::DeviceType::Meta));
}

bool IsWithoutMessage(c10::StorageImpl& storage) { return Allocators::All().IsWithoutMessage(storage.allocator()); }

void NoteMessage(c10::StorageImpl& storage) {
  if (IsWithoutMessage(storage)) storage.set_allocator(Allocators::All().For(*FakeDeviceOf(storage)));
}

void ForbidReading(c10::StorageImpl& storage) {
  NoteMessage(storage);
  // This is the only way to refuse reads. Nothing is released.
  storage.release_data_and_set_meta_custom_data_ptr_error_msg_(
      "a fake tensor has no data: its data pointer was asked for (with save_zeros of FakeTensorModeOptions, "
      "torch::save "
      "writes zeros)");
}

}  // namespace

void ForbidData(c10::StorageImpl& storage) {
  if (storage._mutable_data_ptr_no_checks().get()) return;  // its data is known, and may be read
  storage.set_throw_on_mutable_data_ptr();
  if (Host::Current() && Host::Current()->forbids_reading()) ForbidReading(storage);
}

void AllowReading(c10::StorageImpl& storage) {
  NoteMessage(storage);
  storage.clear_data_ptr_access_error_msg_();
}

c10::Device WithIndex(c10::Device device) {
  if (!device.has_index() && !device.is_cpu() && !device.is_meta()) device.set_index(CurrentIndex(device.type()));
  return device;
}

bool FakeTensorImpl::has_storage() const {
  if (recording && is_fake()) {
    if (const auto access = on_data_access.load(std::memory_order_relaxed)) access(*this);
  }
  AddMessage();
  return TensorImpl::has_storage();
}

const c10::Storage& FakeTensorImpl::storage() const {
  AddMessage();
  return TensorImpl::storage();
}

void FakeTensorImpl::AddMessage() const {
  c10::StorageImpl* storage = storage_.unsafeGetStorageImpl();
  if (!storage || !IsWithoutMessage(*storage)) return;
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  if (IsWithoutMessage(*storage)) ForbidReading(*storage);
}

namespace {

c10::intrusive_ptr<c10::StorageImpl> NewStorage(c10::DataPtr context, c10::SymInt nbytes, c10::Device device) {
  return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), std::move(nbytes),
      std::move(context), Allocators::All().For(device), /*resizable=*/true);
}

}  // namespace

c10::Storage MakeFakeStorage(Dim nbytes, c10::Device device) {
  device = WithIndex(device);
  auto storage = NewStorage(NewContext(nbytes.Hint().value_or(0), device), ToSymInt(nbytes), device);
  ForbidData(*storage);
  return storage;
}

// LibTorch sets the mark against reads together with a message, which takes memory. So the storage gets the marks of
// another one, and the message when somebody looks at it (FakeTensorImpl::storage).
c10::Storage HoldInStorage(c10::DataPtr context, int64_t nbytes, c10::Device device) {
  NoAllocator* const allocator = Allocators::All().WithoutMessageFor(device);
  thread_local const auto marked = NewStorage({}, 0, device);
  marked->set_throw_on_mutable_data_ptr();
  marked->release_data_and_set_meta_custom_data_ptr_error_msg_(std::nullopt);
  auto storage = NewStorage({}, 0, device);
  storage->swap_data_ptr(*marked);
  storage->set_data_ptr_noswap(std::move(context));
  storage->set_nbytes(static_cast<size_t>(nbytes));
  storage->set_allocator(allocator);
  return storage;
}

namespace {

// The storage belongs to a fake tensor on this device.
void StampStorage(c10::StorageImpl& storage, c10::Device device) {
  const auto earlier = FakeDeviceOf(storage);
  if (earlier == device) return;
  if (!earlier) storage.set_data_ptr_noswap(NewContext(HintedBytes(storage), device));
  storage.set_allocator(Allocators::All().For(device));
  ForbidData(storage);
}

at::Tensor Finish(at::Tensor tensor, const TensorMeta& meta) {
  SetGeometry(tensor, meta);
  if (meta.is_conj) tensor.unsafeGetTensorImpl()->_set_conj(true);
  if (meta.is_neg) tensor.unsafeGetTensorImpl()->_set_neg(true);
  StampFakeDevice(tensor, ToTorch(meta.device));
  return tensor;
}

}  // namespace

at::Tensor MakeFakeTensor(const TensorMeta& meta, c10::Storage storage) {
  return Finish(at::detail::make_tensor<FakeTensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::Meta),
                    c10::scalarTypeToTypeMeta(ToTorch(meta.dtype))),
      meta);
}

at::Tensor MakeFakeAlias(const TensorMeta& meta, c10::Storage storage, c10::DispatchKeySet keys) {
  keys = keys.remove(c10::DispatchKey::Conjugate).remove(c10::DispatchKey::Negative);
  return Finish(at::detail::make_tensor<FakeTensorImpl>(
                    c10::TensorImpl::VIEW, std::move(storage), keys, c10::scalarTypeToTypeMeta(ToTorch(meta.dtype))),
      meta);
}

void StampFakeDevice(const at::Tensor& tensor, c10::Device device) {
  device = WithIndex(device);
  if (!device.is_meta()) tensor.unsafeGetTensorImpl()->set_fake_device(device);
  UseAccelerator(device.type());
  // A few composites read the data of tensors, except of those that Python may have made (isTensorSubclassLike), such
  // as Python's fake tensors.
  if (Host* host = Host::Current(); host && host->PosesAsPython()) {
    tensor.unsafeGetTensorImpl()->set_python_dispatch(true);
    host->NotePosing(tensor);
  }
  if (c10::StorageImpl* storage = StorageOf(tensor)) StampStorage(*storage, device);
}

at::Tensor AsFake(const at::Tensor& made, c10::Device device) {
  // Views inherit the key Fake but not the device, so the device tells.
  if (!made.is_meta()) return made;
  if (dynamic_cast<FakeTensorImpl*>(made.unsafeGetTensorImpl()) || made.layout() != c10::Layout::Strided) {
    StampFakeDevice(made, device);
    return made;
  }
  TensorMeta meta = ReadMeta(made);
  meta.device = FromTorch(device);
  at::Tensor fake = MakeFakeAlias(meta, made.storage(), made.key_set());
  if (made.unsafeGetTensorImpl()->is_wrapped_number()) fake.unsafeGetTensorImpl()->set_wrapped_number(true);
  return fake;
}

std::optional<c10::Device> FakeDeviceOf(const c10::StorageImpl& storage) {
  return Allocators::All().DeviceOf(storage.allocator());
}

void RestoreFakeDevice(const at::Tensor& tensor) {
  if (!tensor.is_meta() || !StorageOf(tensor)) return;
  if (auto device = FakeDeviceOf(*StorageOf(tensor))) StampFakeDevice(tensor, *device);
}

ReadableScope::ReadableScope(c10::ArrayRef<c10::IValue> arguments) {
  if (!Host::Current() || !Host::Current()->forbids_reading()) return;
  for (const c10::IValue& argument : arguments) {
    ForEachTensor(argument, [&](const at::Tensor& t) {
      if (!StorageOf(t)) return;
      c10::StorageImpl* storage = StorageOf(t);
      const bool is_forbidden = IsWithoutMessage(*storage) || storage->get_extra_meta().custom_data_ptr_error_msg_;
      if (!FakeDeviceOf(*storage) || !is_forbidden) return;
      AllowReading(*storage);
      opened_.push_back(t.unsafeGetTensorImpl()->unsafe_storage());
    });
  }
}

ReadableScope::~ReadableScope() {
  for (const c10::Storage& storage : opened_) ForbidReading(*storage.unsafeGetStorageImpl());
}

bool IsFake(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->is_fake() || tensor.is_meta(); }

TensorMeta ReadMeta(const at::Tensor& tensor) {
  if (tensor.layout() != c10::Layout::Strided || tensor.is_nested())
    Fail(ErrorClass::kUnsupportedOperator, "tensors of another layout than strided are not served");
  TensorMeta meta;
  for (const c10::SymInt& size : tensor.sym_sizes()) meta.sizes.push_back(ToDim(size));
  for (const c10::SymInt& stride : tensor.sym_strides()) meta.strides.push_back(ToDim(stride));
  meta.storage_offset = ToDim(tensor.sym_storage_offset());
  meta.dtype = FromTorch(tensor.scalar_type());
  meta.device = FromTorch(tensor.device());
  meta.is_conj = tensor.is_conj();
  meta.is_neg = tensor.is_neg();
  return meta;
}

void SetGeometry(const at::Tensor& tensor, const TensorMeta& meta) {
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (IsSymbolic(meta) || impl->has_symbolic_sizes_strides()) {
    if (auto* ours = dynamic_cast<FakeTensorImpl*>(impl)) ours->MakeRoomForSymbols();
    return impl->set_sizes_and_strides(
        Symbols(meta.size_span()), Symbols(meta.stride_span()), ToSymInt(meta.storage_offset));
  }
  // Sizes and strides, without symbols.
  c10::SmallVector<int64_t, 12> numbers;
  for (Dim size : meta.sizes) numbers.push_back(size.raw());
  for (Dim stride : meta.strides) numbers.push_back(stride.raw());
  const c10::IntArrayRef all = numbers;
  impl->set_sizes_and_strides(all.slice(0, meta.sizes.size()), all.slice(meta.sizes.size()), meta.storage_offset.raw());
}

}  // namespace fakeprop::dispatch
