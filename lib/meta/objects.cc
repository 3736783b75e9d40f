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

const SparseParts* ObjectTable::NewParts(SparseParts parts) { return &parts_.emplace_back(parts); }

Tensor* ObjectTable::NewSparse(TensorMeta meta, SparseParts parts) {
  Tensor* tensor = NewTensor(std::move(meta), parts.values->storage);
  tensor->parts = NewParts(parts);
  return tensor;
}

}  // namespace fakeprop
