// c10::isSharedStorageAlias for fakes. LibTorch asks it whether two tensors share data (at::Tensor::is_alias_of, which
// copies of TorchScript modules ask), and its own reads the data pointers of both storages, which is an error for a
// fake.
//
// The function has the name of LibTorch's own, as at::print in printing.cc. It is weak for the same reason.
#include <c10/core/Storage.h>
#include <dlfcn.h>

#include "lib/base/check.h"
#include "lib/dispatch/fake_tensor.h"

namespace fakeprop::fake {
namespace {

using IsAlias = bool (*)(const c10::Storage&, const c10::Storage&);

// LibTorch's own, the next one of this name.
IsAlias IsAliasOfLibTorch() {
  static constexpr const char* kName = "_ZN3c1020isSharedStorageAliasERKNS_7StorageES2_";
  static const auto found = reinterpret_cast<IsAlias>(dlsym(RTLD_NEXT, kName));
  FAKEPROP_CHECK(found);
  return found;
}

bool IsFakeStorage(const c10::Storage& storage) {
  return storage && dispatch::FakeDeviceOf(*storage.unsafeGetStorageImpl());
}

}  // namespace
}  // namespace fakeprop::fake

namespace c10 {

// Called for two different storages. Those of fakes share nothing.
__attribute__((weak)) bool isSharedStorageAlias(const Storage& storage0, const Storage& storage1) {
  if (fakeprop::fake::IsFakeStorage(storage0) || fakeprop::fake::IsFakeStorage(storage1)) return false;
  return fakeprop::fake::IsAliasOfLibTorch()(storage0, storage1);
}

}  // namespace c10
