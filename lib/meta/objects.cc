#include "lib/meta/objects.h"

#include "lib/meta/value.h"

namespace fakeprop {

Storage* ObjectTable::NewStorage(Dim nbytes, Device device) {
  Storage& storage = storages_.emplace_back();
  storage.nbytes = nbytes;
  storage.device = device;
  return &storage;
}

void Tensor::Remember(Asked asked, const SymNode* symbol) {
  if (!memos) memos = std::make_shared<Memos>();
  memos->Set(asked, storage->version, symbol);
}

Tensor* ObjectTable::NewTensor(TensorMeta meta, Storage* storage) {
  Tensor& tensor = tensors_.emplace_back();
  tensor.meta = std::move(meta);
  tensor.storage = storage;
  return &tensor;
}

}  // namespace fakeprop
