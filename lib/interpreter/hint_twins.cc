#include "lib/interpreter/hint_twins.h"

#include <algorithm>

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

bool PutHint(Dim& dim) {
  const std::optional<int64_t> hint = dim.Hint();
  if (hint) dim = *hint;
  return hint.has_value();
}

bool PutHint(std::optional<Dim>& dim) { return !dim || PutHint(*dim); }

bool PutSizes(TensorMeta& meta) {
  const auto put = [](Dim& dim) { return PutHint(dim); };
  return std::all_of(meta.sizes.begin(), meta.sizes.end(), put) &&
         std::all_of(meta.strides.begin(), meta.strides.end(), put) && PutHint(meta.storage_offset);
}

}  // namespace

std::optional<std::vector<const Value*>> HintTwins::Of(std::span<const Value* const> arguments) {
  std::vector<const Value*> out;
  for (const Value* argument : arguments) {
    std::optional<Value> twin = Twin(*argument);
    if (!twin) return std::nullopt;
    values_.push_back(std::move(*twin));
    out.push_back(&values_.back());
  }
  return out;
}

std::optional<Value> HintTwins::Twin(const Value& value) {
  bool has_all = true;
  Value twin = MapValues(value, [&](const Value& inner) {
    std::optional<Value> own = TwinOfOne(inner);
    has_all &= own.has_value();
    return own ? std::move(*own) : Value();
  });
  return has_all ? std::optional(std::move(twin)) : std::nullopt;
}

// For a value that contains no other values.
std::optional<Value> HintTwins::TwinOfOne(const Value& value) {
  if (const Tensor* t = value.TryTensor()) {
    const std::optional<Tensor*> twin = TwinTensor(*t);
    return twin ? std::optional(Value(*twin)) : std::nullopt;
  }
  if (const Dim* d = value.TryGet<Dim>()) {
    const std::optional<int64_t> hint = d->Hint();
    return hint ? std::optional(Value(Dim(*hint))) : std::nullopt;
  }
  return value.Is<Symbolic>() ? std::nullopt : std::optional(value);
}

std::optional<Tensor*> HintTwins::TwinTensor(const Tensor& t) {
  if (auto it = tensors_.find(&t); it != tensors_.end()) return it->second;
  TensorMeta meta = t.meta;
  const std::optional<int64_t> nbytes = t.storage->nbytes.Hint();
  if (!nbytes || !PutSizes(meta)) return std::nullopt;
  Storage*& storage = storages_[t.storage];
  if (!storage) storage = objects_.NewStorage(*nbytes, t.meta.device);
  Tensor* twin = objects_.NewTensor(std::move(meta), storage);
  if (t.parts) {
    const std::optional<SparseParts> parts = TwinParts(*t.parts);
    if (!parts) return std::nullopt;
    twin->parts = objects_.NewParts(*parts);
  }
  twin->own_requires_grad = t.RequiresGrad();
  twin->is_leaf = !twin->own_requires_grad;
  return tensors_[&t] = twin;
}

std::optional<SparseParts> HintTwins::TwinParts(SparseParts parts) {
  for (Tensor** part : {&parts.values, &parts.indices, &parts.plain})
    if (!PutTwin(*part)) return std::nullopt;
  return parts;
}

std::optional<Effects> HintTwins::Of(const Effects& effects) {
  Effects twin = effects;
  const auto put = [this](auto& effect) { return PutHints(effect); };
  const bool has_all = twin.remembered.empty() && std::all_of(twin.outputs.begin(), twin.outputs.end(), put) &&
                       std::all_of(twin.mutations.begin(), twin.mutations.end(), put);
  return has_all ? std::optional(std::move(twin)) : std::nullopt;
}

bool HintTwins::PutHints(Output& output) {
  std::optional<Value> value = Twin(output.value);
  if (!value) return false;
  output.value = std::move(*value);
  return PutSizes(output.meta) && PutHint(output.nbytes) && PutTwin(output.source) &&
         std::all_of(output.items.begin(), output.items.end(), [this](Output& item) { return PutHints(item); });
}

bool HintTwins::PutHints(Mutation& mutation) {
  return (!mutation.meta || PutSizes(*mutation.meta)) && PutHint(mutation.nbytes) && PutTwin(mutation.target) &&
         PutTwin(mutation.storage_of);
}

bool HintTwins::PutTwin(Tensor*& tensor) {
  if (!tensor) return true;
  const std::optional<Tensor*> twin = TwinTensor(*tensor);
  if (twin) tensor = *twin;
  return twin.has_value();
}

}  // namespace fakeprop
