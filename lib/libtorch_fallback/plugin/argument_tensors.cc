#include "lib/libtorch_fallback/plugin/argument_tensors.h"

#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/meta/dtype.h"

namespace fakeprop::libtorch {

using namespace dispatch;

namespace {

void SetAutograd(const at::Tensor& tensor, const Tensor& t, const at::Tensor& base) {
  if (base.defined()) FollowBase(tensor, base, t.origin);
  if (!t.RequiresGrad() || !IsFloatOrComplex(t.meta.dtype)) return;
  if (t.is_leaf && !base.defined()) {
    tensor.unsafeGetTensorImpl()->set_requires_grad(true);
  } else {
    SetHistory(tensor, "the history of a fake tensor is not kept");
  }
}

}  // namespace

at::Tensor ArgumentTensors::Make(Tensor& t) {
  for (Pair& pair : pairs_) {
    if (pair.tensor != &t) continue;
    pair.is_argument = true;
    return pair.fake;
  }
  at::Tensor fake = MakeNew(t);
  pairs_.push_back({&t, fake, fake.storage(), static_cast<uint32_t>(fake._version()), /*is_argument=*/true});
  return fake;
}

at::Tensor ArgumentTensors::MakeNew(Tensor& t) {
  at::Tensor base;
  if (t.base) {
    const size_t known = pairs_.size();
    base = Make(*t.base);
    if (pairs_.size() > known) pairs_.back().is_argument = false;
  }
  at::Tensor fake = MakeTensor(t.meta, StorageOf(t));
  SetAutograd(fake, t, base);
  if (t.KnownValue())
    if (Host* host = Host::Current()) host->RememberConstant(fake, t.constant);
  return fake;
}

c10::Storage ArgumentTensors::StorageOf(const Tensor& t) const {
  for (const Pair& pair : pairs_)
    if (pair.tensor->storage == t.storage) return pair.storage;
  return MakeStorage(t);
}

c10::Storage ArgumentTensors::MakeStorage(const Tensor& t) const {
  return MakeFakeStorage(t.storage->nbytes.Specialize(), ToTorch(t.meta.device));
}

at::Tensor ArgumentTensors::MakeTensor(const TensorMeta& meta, c10::Storage storage) const {
  return MakeFakeTensor(meta, std::move(storage));
}

Tensor* ArgumentTensors::Find(const c10::TensorImpl* made) const {
  for (const Pair& pair : pairs_)
    if (pair.fake.unsafeGetTensorImpl() == made) return pair.tensor;
  return nullptr;
}

Tensor* ArgumentTensors::FindOnStorage(const c10::StorageImpl* storage, const Tensor* except) const {
  for (const Pair& pair : pairs_)
    if (pair.is_argument && pair.tensor != except && pair.storage.unsafeGetStorageImpl() == storage) return pair.tensor;
  return nullptr;
}

}  // namespace fakeprop::libtorch
