#include "lib/interpreter/snapshot.h"

#include <algorithm>

#include "lib/meta/identical_dims.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

// Writing a record must not ask questions about symbols.
bool IsCurrent(const Tensor& copy, const Tensor& live) {
  const TensorMeta &a = copy.meta, &b = live.meta;
  return copy.own_requires_grad == live.RequiresGrad() && copy.storage == live.storage && !live.parts &&
         copy.constant.get() == (live.KnownValue() ? live.constant.get() : nullptr) && a.dtype == b.dtype &&
         a.device == b.device && a.storage_offset.raw() == b.storage_offset.raw() &&
         AreIdentical(a.size_span(), b.size_span()) && AreIdentical(a.stride_span(), b.stride_span());
}

// The value with the contents of shared lists and dicts in their place, and tensors replaced. One that holds itself
// ends in an ellipsis. `within`: those around the value.
template <typename TakeTensor>
Value Unshare(const Value& value, const TakeTensor& take, std::vector<const Value*>& within) {
  return MapValues(value, [&](const Value& inner) -> Value {
    if (Tensor* t = inner.TryTensor()) return take(*t);
    const SharedValue* shared = inner.TryGet<SharedValue>();
    if (!shared) return inner;
    if (!shared->class_name.empty()) return Opaque{shared->class_name, ""};
    if (std::find(within.begin(), within.end(), shared->to.get()) != within.end())
      return Opaque{"builtins.ellipsis", "..."};
    within.push_back(shared->to.get());
    Value content = Unshare(*shared->to, take, within);
    within.pop_back();
    return content;
  });
}

}  // namespace

Tensor* Snapshots::TakeTensor(Tensor& live) {
  if (live.snapshot && IsCurrent(*live.snapshot, live)) return live.snapshot;
  Tensor* copy = objects_.NewTensor(live.meta, live.storage);
  if (live.parts) copy->parts = TakeParts(*live.parts);
  copy->own_requires_grad = live.RequiresGrad();
  copy->is_leaf = live.is_leaf;
  if (live.KnownValue()) {
    copy->constant = live.constant;
    copy->constant_version = live.constant_version;
  }
  live.snapshot = copy;
  return copy;
}

const SparseParts* Snapshots::TakeParts(const SparseParts& live) {
  SparseParts copy = live;
  for (Tensor** part : {&copy.values, &copy.indices, &copy.plain})
    if (*part) *part = TakeTensor(**part);
  return objects_.NewParts(copy);
}

// The storages of a tensor: a sparse one has its values on its own, and its indices on others.
void Snapshots::Number(Tensor& t) {
  Number(*t.storage);
  if (!t.parts) return;
  for (Tensor* part : {t.parts->indices, t.parts->plain})
    if (part) Number(*part->storage);
}

void Snapshots::Number(Storage& storage) {
  if (storage.id >= 0) return;
  storage.id = static_cast<int32_t>(storages_.size());
  storages_.push_back(&storage);
}

Value Snapshots::Take(const Value& value) {
  std::vector<const Value*> within;
  return Unshare(
      value, [this](Tensor& t) { return Number(t), TakeTensor(t); }, within);
}

Value Snapshots::TakeUnnumbered(const Value& value) {
  if (Tensor* t = value.TryTensor()) return TakeTensor(*t);
  return MapValues(value, [this](const Value& inner) -> Value {
    if (Tensor* t = inner.TryTensor()) return TakeTensor(*t);
    return inner.Is<SharedValue>() ? Value() : inner;
  });
}

}  // namespace fakeprop
