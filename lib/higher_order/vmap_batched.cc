#include "lib/higher_order/vmap_batched.h"

#include <algorithm>
#include <deque>

#include "lib/error/error.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

int64_t Wrapped(int64_t dim, int64_t rank) {
  if (dim < -rank || dim >= rank)
    Fail(ErrorClass::kIndexOutOfRange,
        "dimension " + std::to_string(dim) + " is outside of " + std::to_string(rank) + " dimensions");
  return dim < 0 ? dim + rank : dim;
}

TensorMeta Without(TensorMeta meta, int64_t dim) {
  meta.sizes.erase(meta.sizes.begin() + dim);
  meta.strides.erase(meta.strides.begin() + dim);
  return meta;
}

TensorMeta With(TensorMeta meta, int64_t dim, Dim size, Dim stride) {
  meta.sizes.insert(meta.sizes.begin() + dim, size);
  meta.strides.insert(meta.strides.begin() + dim, stride);
  return meta;
}

}  // namespace

Tensor* Batched::NewView(Tensor& of, TensorMeta meta) {
  Tensor* view = objects_.NewTensor(std::move(meta), of.storage);
  if (IsFloatOrComplex(of.meta.dtype)) view->base = of.base ? of.base : &of;
  view->own_requires_grad = view->RequiresGrad();
  view->is_leaf = !view->own_requires_grad;
  return view;
}

const Batched::Hidden* Batched::Find(const Tensor* tensor) const {
  auto it = hidden_.find(tensor);
  return it == hidden_.end() ? nullptr : &it->second;
}

Tensor* Batched::Hide(Tensor& whole, int64_t dim, int64_t level) {
  dim = Wrapped(dim, whole.meta.rank());
  Tensor* rest = NewView(whole, Without(whole.meta, dim));
  hidden_[rest] = {&whole, dim, level};
  return rest;
}

Tensor* Batched::Show(Tensor& tensor, int64_t level, Dim size, int64_t dim) {
  const Hidden* hidden = Find(&tensor);
  dim = Wrapped(dim, tensor.meta.rank() + 1);
  if (!hidden || hidden->level != level) return NewView(tensor, With(tensor.meta, dim, size, 0));
  const TensorMeta& whole = hidden->whole->meta;
  Tensor* shown = NewView(*hidden->whole, With(tensor.meta, dim, whole.sizes[hidden->dim], whole.strides[hidden->dim]));
  KeepOuter(*shown, *hidden);
  return shown;
}

void Batched::KeepOuter(Tensor& shown, const Hidden& hidden) {
  const Hidden* outer = Find(hidden.whole);
  if (!outer) return;
  const TensorMeta& all = outer->whole->meta;
  hidden_[&shown] = {
      NewView(shown, With(shown.meta, 0, all.sizes[outer->dim], all.strides[outer->dim])), 0, outer->level};
}

const Tensor* Batched::Innermost(std::span<const Value* const> arguments) const {
  const Tensor* innermost = nullptr;
  for (const Value* value : arguments)
    ForEachTensor(*value, [&](Tensor& t) {
      if (Find(&t) && (!innermost || Find(&t)->level > Find(innermost)->level)) innermost = &t;
    });
  return innermost;
}

bool Batched::Among(std::span<const Value* const> arguments) const { return !hidden_.empty() && Innermost(arguments); }

Value Batched::Call(const Schema& schema, std::span<const Value* const> arguments, const Run& run) {
  const Tensor* innermost = Innermost(arguments);
  if (!innermost) return run(arguments);
  const bool is_view = std::ranges::any_of(schema.returns, [](const SchemaReturn& r) { return !r.alias_set.empty(); });
  if (schema.Has(kTagPointwise) && !schema.Writes() && !is_view)
    return CallElementwise(schema, arguments, Find(innermost)->level, run);
  Value result = run(arguments);
  ForEachTensor(result, [&](Tensor& t) {
    if (!Find(&t)) HideResult(t, arguments);
  });
  return result;
}

// The whole tensor with the hidden dimension in front, and dimensions of size 1 up to `rank` after it.
Tensor* Batched::InFront(Tensor& tensor, int64_t level, int64_t rank) {
  const Hidden* hidden = Find(&tensor);
  if (!hidden || hidden->level != level) return &tensor;
  TensorMeta meta = tensor.meta;
  while (meta.rank() < rank) meta = With(std::move(meta), 0, 1, 1);
  const TensorMeta& whole = hidden->whole->meta;
  Tensor* front =
      NewView(*hidden->whole, With(std::move(meta), 0, whole.sizes[hidden->dim], whole.strides[hidden->dim]));
  KeepOuter(*front, *hidden);
  return front;
}

Value Batched::CallElementwise(
    const Schema& schema, std::span<const Value* const> arguments, int64_t level, const Run& run) {
  int64_t rank = 0;
  for (const Value* value : arguments) ForEachTensor(*value, [&](Tensor& t) { rank = std::max(rank, t.meta.rank()); });
  std::deque<Value> whole;
  std::vector<const Value*> given;
  for (const Value* value : arguments) {
    whole.push_back(MapTensors(*value, [&](Tensor& t) { return Value(InFront(t, level, rank)); }));
    given.push_back(&whole.back());
  }
  const Value result = Call(schema, given, run);
  return MapTensors(result, [&](Tensor& t) { return Value(Hide(t, 0, level)); });
}

// The hidden dimensions of the operands, from the innermost out, are those of the result. A view has their strides; a
// new tensor is as often in its storage as they say.
void Batched::HideResult(Tensor& result, std::span<const Value* const> arguments) {
  const Tensor* like = Innermost(arguments);
  const bool is_view = like->storage == result.storage;
  Tensor* inner = &result;
  for (const Hidden* hidden = Find(like); hidden; hidden = Find(hidden->whole)) {
    const TensorMeta& whole = hidden->whole->meta;
    const Dim size = whole.sizes[hidden->dim];
    const Dim stride =
        is_view ? whole.strides[hidden->dim] : FloorDiv(result.storage->nbytes, ItemSize(result.meta.dtype));
    if (!is_view) result.storage->nbytes = result.storage->nbytes * size;
    Tensor* outer = objects_.NewTensor(With(inner->meta, 0, size, stride), result.storage);
    outer->own_requires_grad = result.RequiresGrad();
    outer->is_leaf = !outer->own_requires_grad;
    hidden_[inner] = {outer, 0, hidden->level};
    inner = outer;
  }
}

}  // namespace fakeprop
