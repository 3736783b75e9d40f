#include "lib/tail/fake_tensor.h"

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include <map>
#include <memory>
#include <mutex>

#include "lib/meta/error.h"

namespace fakeprop::tail {
namespace {

c10::SmallVector<int64_t, 6> Numbers(DimSpan dims) {
  c10::SmallVector<int64_t, 6> numbers;
  for (Dim d : dims) numbers.push_back(d.Specialize());
  return numbers;
}

Device WithIndex(Device device) {
  if (!device.has_index() && !device.is_cpu() && !device.is_meta()) device.set_index(0);
  return device;
}

// Memory for fake storages is never there, as with LibTorch's own meta allocator. One for each device, by which a
// storage tells its tensors' device.
struct NoAllocator final : c10::Allocator {
  explicit NoAllocator(Device d) : device(d) {}
  c10::DataPtr allocate(size_t) override { return {nullptr, c10::Device(c10::DeviceType::Meta)}; }
  c10::DeleterFnPtr raw_deleter() const override { return [](void*) {}; }
  void copy_data(void*, const void*, size_t) const override {}
  const Device device;
};

NoAllocator* AllocatorFor(Device device) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, std::unique_ptr<NoAllocator>> allocators;
  device = WithIndex(device);
  const std::lock_guard lock(mutex);
  auto& allocator = allocators[{static_cast<int>(device.type()), device.index()}];
  if (!allocator) allocator = std::make_unique<NoAllocator>(device);
  return allocator.get();
}

}  // namespace

c10::Storage MakeFakeStorage(int64_t nbytes, Device device) {
  NoAllocator* allocator = AllocatorFor(device);
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), nbytes, allocator->allocate(0),
                                                       allocator, /*resizable=*/true);
  storage->set_throw_on_mutable_data_ptr();
  return storage;
}

at::Tensor MakeFakeTensor(const TensorMeta& meta, c10::Storage storage) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::Meta), c10::scalarTypeToTypeMeta(meta.dtype));
  SetGeometry(tensor, meta);
  if (meta.is_conj) tensor.unsafeGetTensorImpl()->_set_conj(true);
  if (meta.is_neg) tensor.unsafeGetTensorImpl()->_set_neg(true);
  StampFakeDevice(tensor, meta.device);
  return tensor;
}

void StampFakeDevice(const at::Tensor& tensor, Device device) {
  if (!device.is_meta()) tensor.unsafeGetTensorImpl()->set_fake_device(WithIndex(device));
  // A few composites look at the data of tensors but for those that Python may have made (isTensorSubclassLike), as
  // FakeTensorMode's are. The walk's guard keeps calls from being dispatched by this key.
  tensor.unsafeGetTensorImpl()->set_python_dispatch(true);
  if (!tensor.has_storage()) return;
  c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
  storage->set_allocator(AllocatorFor(device));
  storage->set_throw_on_mutable_data_ptr();
}

void RestoreFakeDevice(const at::Tensor& tensor) {
  if (!tensor.is_meta() || !tensor.has_storage()) return;
  c10::Allocator* allocator = tensor.storage().unsafeGetStorageImpl()->allocator();
  if (auto* ours = dynamic_cast<NoAllocator*>(allocator)) StampFakeDevice(tensor, ours->device);
}

bool IsFake(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->is_fake() || tensor.is_meta(); }

TensorMeta ReadMeta(const at::Tensor& tensor) {
  if (tensor.layout() != Layout::Strided || tensor.is_nested())
    Fail(ErrorClass::kUnsupportedOperator, "tensors of another layout than strided are not served");
  TensorMeta meta;
  for (int64_t size : tensor.sizes()) meta.sizes.push_back(size);
  for (int64_t stride : tensor.strides()) meta.strides.push_back(stride);
  meta.storage_offset = tensor.storage_offset();
  meta.dtype = tensor.scalar_type();
  meta.device = tensor.device();
  meta.is_conj = tensor.is_conj();
  meta.is_neg = tensor.is_neg();
  return meta;
}

void SetGeometry(const at::Tensor& tensor, const TensorMeta& meta) {
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(Numbers(meta.size_span()), Numbers(meta.stride_span()),
                                                      meta.storage_offset.Specialize());
}

}  // namespace fakeprop::tail
