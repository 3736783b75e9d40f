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

// Allocates no memory, as LibTorch's own meta allocator. There is one for each device, so the allocator of a storage
// tells the device of its tensors.
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

  NoAllocator* For(c10::Device device) {
    const int index = device.has_index() ? device.index() + 1 : 0;
    return &all_[static_cast<size_t>(device.type())][static_cast<size_t>(index)];
  }

  // Nothing for other allocators. They may be destroyed already, so this does not access them.
  std::optional<c10::Device> DeviceOf(const c10::Allocator* allocator) const {
    const auto* ours = static_cast<const NoAllocator*>(allocator);
    const NoAllocator* first = all_[0].data();
    if (!std::less_equal()(first, ours) || !std::less()(ours, first + kTypes * kIndices)) return std::nullopt;
    const auto number = static_cast<size_t>(ours - first);
    return c10::Device(static_cast<c10::DeviceType>(number / kIndices),
        static_cast<c10::DeviceIndex>(static_cast<int>(number % kIndices) - 1));
  }

 private:
  static constexpr size_t kTypes = static_cast<size_t>(c10::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
  static constexpr size_t kIndices = 1 + 128;  // with none
  std::array<std::array<NoAllocator, kIndices>, kTypes> all_;
};

c10::DataPtr NewContext(int64_t nbytes, c10::Device device) {
  Host* host = Host::Current();
  return host ? host->NewStorageContext(nbytes, device) : c10::DataPtr(nullptr, c10::Device(c10::DeviceType::Meta));
}

void ForbidReading(c10::StorageImpl& storage) {
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

c10::Device WithIndex(c10::Device device) {
  if (!device.has_index() && !device.is_cpu() && !device.is_meta()) device.set_index(CurrentIndex(device.type()));
  return device;
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(
    const c10::VariableVersion& version, bool allow_metadata_change) const {
  return shallow_copy_and_detach(c10::VariableVersion(version), allow_metadata_change);
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(
    c10::VariableVersion&& version, bool allow_metadata_change) const {
  auto copy = c10::make_intrusive<FakeTensorImpl>(c10::Storage(storage_), key_set_, data_type_);
  copy_tensor_metadata(this, copy.get(), std::move(version), allow_metadata_change);
  if (is_fake() && !device().is_meta()) copy->set_fake_device(device());
  // Saved for a backward pass, it outlives the pose.
  if (Host* host = Host::Current(); !host || !host->PosesAsPython()) copy->set_python_dispatch(false);
  return copy;
}

void FakeTensorImpl::shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& from) {
  const c10::Device device = from->device();
  TensorImpl::shallow_copy_from(from);
  if (is_fake() && !device.is_meta()) set_fake_device(device);
}

void FakeTensorImpl::release_resources() {
  attachment.reset();
  recording.reset();
  TensorImpl::release_resources();
}

void FakeTensorImpl::Become(const c10::TensorImpl& other) {
  extra_meta_ = nullptr;  // holds the device of a fake, and LibTorch does not clear it
  copy_tensor_metadata(&other, this, version_counter(), allow_tensor_metadata_change());
  if (other.is_fake()) set_fake_device(other.device());
}

bool FakeTensorImpl::has_storage() const {
  if (recording && is_fake()) {
    if (const auto access = on_data_access.load(std::memory_order_relaxed)) access(*this);
  }
  return TensorImpl::has_storage();
}

void FakeTensorImpl::MakeRoomForSymbols() {
  if (extra_meta_ && !extra_meta_->symbolic_shape_meta_)
    extra_meta_->symbolic_shape_meta_ = std::make_unique<c10::SymbolicShapeMeta>();
}

void FailSymbolic(const char* asked) {
  const std::string what = asked;
  C10_THROW_ERROR(NotImplementedError, what + "() of a fake tensor with symbolic sizes was asked for: sym_" + what +
                                           "() answers, and LibTorch's kernels take no symbolic sizes");
}

int64_t FakeTensorImpl::NumberFor(const c10::SymInt& symbol, const char* asked) const {
  if (const auto number = symbol.maybe_as_int()) return *number;
  const auto convert = to_number.load(std::memory_order_relaxed);
  return convert ? convert(*this, symbol, asked) : (FailSymbolic(asked), 0);
}

c10::IntArrayRef FakeTensorImpl::NumbersFor(c10::SymIntArrayRef symbols, Numbers& numbers, const char* asked) const {
  Numbers asked_for;
  for (const c10::SymInt& symbol : symbols) asked_for.push_back(NumberFor(symbol, asked));
  // Readers in other threads have a view of these numbers, which change only if the sizes do.
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  if (numbers != asked_for) numbers = std::move(asked_for);
  return numbers;
}

c10::IntArrayRef FakeTensorImpl::sizes_custom() const {
  return has_symbolic_sizes_strides() ? NumbersFor(sym_sizes(), sizes_as_numbers_, "sizes")
                                      : TensorImpl::sizes_custom();
}

int64_t FakeTensorImpl::size_custom(int64_t d) const {
  return has_symbolic_sizes_strides() ? NumberFor(sym_size(d), "size") : TensorImpl::size_custom(d);
}

c10::IntArrayRef FakeTensorImpl::strides_custom() const {
  return has_symbolic_sizes_strides() ? NumbersFor(sym_strides(), strides_as_numbers_, "strides")
                                      : TensorImpl::strides_custom();
}

int64_t FakeTensorImpl::numel_custom() const {
  return has_symbolic_sizes_strides() ? NumberFor(sym_numel(), "numel") : TensorImpl::numel_custom();
}

int64_t FakeTensorImpl::storage_offset_custom() const {
  return has_symbolic_sizes_strides() ? NumberFor(sym_storage_offset(), "storage_offset")
                                      : TensorImpl::storage_offset_custom();
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

c10::Storage HoldInStorage(c10::DataPtr context, c10::SymInt nbytes, c10::Device device) {
  auto storage = NewStorage(std::move(context), std::move(nbytes), device);
  storage->set_throw_on_mutable_data_ptr();
  ForbidReading(*storage);
  return storage;
}

namespace {

// The storage belongs to a fake tensor on this device.
void StampStorage(c10::StorageImpl& storage, c10::Device device) {
  NoAllocator* allocator = Allocators::All().For(device);
  if (storage.allocator() == allocator) return;
  if (!FakeDeviceOf(storage)) storage.set_data_ptr_noswap(NewContext(HintedBytes(storage), device));
  storage.set_allocator(allocator);
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
      if (!FakeDeviceOf(*storage) || !storage->get_extra_meta().custom_data_ptr_error_msg_) return;
      storage->clear_data_ptr_access_error_msg_();
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
