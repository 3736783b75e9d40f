#include "lib/propagate/snapshot.h"

#include <algorithm>

namespace fakeprop {
namespace {

// The very same expressions; a record asks nothing of symbols.
bool IsSame(DimSpan a, DimSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Dim x, Dim y) { return x.raw() == y.raw(); });
}

bool IsCurrent(const Tensor& copy, const Tensor& live) {
  const TensorMeta &a = copy.meta, &b = live.meta;
  return copy.own_requires_grad == live.RequiresGrad() && copy.storage == live.storage &&
         copy.constant.get() == (live.KnownValue() ? live.constant.get() : nullptr) && a.dtype == b.dtype &&
         a.device == b.device && a.storage_offset.raw() == b.storage_offset.raw() &&
         IsSame(a.size_span(), b.size_span()) && IsSame(a.stride_span(), b.stride_span());
}

}  // namespace

Tensor* Snapshots::TakeTensor(Tensor& live) {
  if (live.snapshot && IsCurrent(*live.snapshot, live)) return live.snapshot;
  if (live.storage->id < 0) {
    live.storage->id = static_cast<int32_t>(storages_.size());
    storages_.push_back(live.storage);
  }
  Tensor* copy = objects_.NewTensor(live.meta, live.storage);
  copy->own_requires_grad = live.RequiresGrad();
  copy->is_leaf = live.is_leaf;
  if (live.KnownValue()) {
    copy->constant = live.constant;
    copy->constant_version = live.constant_version;
  }
  live.snapshot = copy;
  return copy;
}

Value Snapshots::Take(const Value& value) {
  if (Tensor* t = value.TryTensor()) return TakeTensor(*t);
  if (const List* list = value.TryList()) {
    List copy;
    copy.is_tuple = list->is_tuple;
    copy.items.reserve(list->items.size());
    for (const Value& item : list->items) copy.items.push_back(Take(item));
    return copy;
  }
  if (const Dict* dict = value.TryGet<Dict>()) {
    Dict copy;
    for (const auto& [key, item] : dict->items) copy.items.emplace_back(Take(key), Take(item));
    return copy;
  }
  if (const SharedValue* shared = value.TryGet<SharedValue>())
    return shared->class_name.empty() ? Take(*shared->to) : Value(Opaque{shared->class_name, ""});
  return value;
}

}  // namespace fakeprop
