#include "lib/autocast/autocast_symbols.h"

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

std::optional<Dims> AtHints(const Dims& dims) {
  Dims out;
  for (Dim d : dims) {
    const std::optional<int64_t> hint = d.Hint();
    if (!hint) return std::nullopt;
    out.push_back(*hint);
  }
  return out;
}

bool IsAt(Dim symbolic, Dim number) { return symbolic.Hint() == number.TryNumber(); }

// Of one shape and layout at the hints; strides of dimensions of one element say nothing.
bool IsAt(const TensorMeta& symbolic, const TensorMeta& number) {
  if (symbolic.rank() != number.rank() || symbolic.device != number.device) return false;
  for (int64_t d = 0; d < number.rank(); ++d) {
    if (!IsAt(symbolic.sizes[d], number.sizes[d])) return false;
    if (number.sizes[d].TryNumber() != 1 && !IsAt(symbolic.strides[d], number.strides[d])) return false;
  }
  return true;
}

bool TakeDtype(Output& by_rule, const Output& by_parts) {
  if (by_rule.kind != by_parts.kind || by_rule.items.size() != by_parts.items.size()) return false;
  for (size_t i = 0; i < by_rule.items.size(); ++i)
    if (!TakeDtype(by_rule.items[i], by_parts.items[i])) return false;
  if (by_rule.kind != Output::Kind::kNew) return by_rule.meta.dtype == by_parts.meta.dtype;
  if (by_rule.nbytes || by_rule.shares_with >= 0 || !IsAt(by_rule.meta, by_parts.meta)) return false;
  by_rule.meta.dtype = by_parts.meta.dtype;
  by_rule.requires_grad = by_parts.requires_grad;
  return true;
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

// Of a value that holds no others.
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
  const auto sizes = AtHints(t.meta.sizes), strides = AtHints(t.meta.strides);
  const std::optional<int64_t> offset = t.meta.storage_offset.Hint(), nbytes = t.storage->nbytes.Hint();
  if (!sizes || !strides || !offset || !nbytes) return std::nullopt;
  Storage*& storage = storages_[t.storage];
  if (!storage) storage = objects_.NewStorage(*nbytes, t.meta.device);
  TensorMeta meta = t.meta;
  meta.sizes = *sizes, meta.strides = *strides, meta.storage_offset = *offset;
  Tensor* twin = objects_.NewTensor(std::move(meta), storage);
  twin->own_requires_grad = t.RequiresGrad();
  twin->is_leaf = !twin->own_requires_grad;
  return tensors_[&t] = twin;
}

void TakeDtypes(const Schema& schema, Effects& by_rule, const Effects& by_parts) {
  bool same =
      by_rule.outputs.size() == by_parts.outputs.size() && by_rule.mutations.size() == by_parts.mutations.size();
  for (size_t i = 0; same && i < by_rule.outputs.size(); ++i) same = TakeDtype(by_rule.outputs[i], by_parts.outputs[i]);
  if (!same)
    Fail(ErrorClass::kUnsupportedOperator,
        std::string(schema.full_name) +
            " under autocast goes by its parts, which give another "
            "layout than the rule for it: concrete shapes in the input spec avoid that");
}

}  // namespace fakeprop
