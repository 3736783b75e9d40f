// Visits a value and everything in it: items of lists and tuples, keys and items of dicts, bounds of slices, and the
// contents of shared lists, dicts and objects. A container comes before its contents. The contents of a shared value
// are visited once, so a value may hold itself.
#pragma once

#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {
namespace value_visit {

// The shared values that a visit has entered. Most visits meet none, so the set is made when the first one is met.
class Entered {
 public:
  bool Add(const SharedValue& shared) {
    if (!set_) set_ = std::make_unique<std::unordered_set<const Value*>>();
    return set_->insert(shared.to.get()).second;
  }

 private:
  std::unique_ptr<std::unordered_set<const Value*>> set_;
};

template <typename Is>
const Value* Find(const Value& value, Is& is, Entered& entered);

template <typename Is>
const Value* FindAmong(const std::vector<Value>& values, Is& is, Entered& entered) {
  for (const Value& value : values)
    if (const Value* found = Find(value, is, entered)) return found;
  return nullptr;
}

template <typename Is>
const Value* FindAmong(const Dict& dict, Is& is, Entered& entered) {
  for (const auto& [key, item] : dict.items) {
    if (const Value* found = Find(key, is, entered)) return found;
    if (const Value* found = Find(item, is, entered)) return found;
  }
  return nullptr;
}

template <typename Is>
const Value* Find(const Value& value, Is& is, Entered& entered) {
  if (is(value)) return &value;
  if (const List* list = value.TryList()) return FindAmong(list->items, is, entered);
  if (const Dict* dict = value.TryGet<Dict>()) return FindAmong(*dict, is, entered);
  if (const Slice* slice = value.TryGet<Slice>()) return FindAmong(slice->bounds, is, entered);
  const SharedValue* shared = value.TryGet<SharedValue>();
  return shared && entered.Add(*shared) ? Find(*shared->to, is, entered) : nullptr;
}

}  // namespace value_visit

// The first value, `value` included, for which `is(const Value&)` holds; null if there is none.
template <typename Is>
const Value* FindValue(const Value& value, Is&& is) {
  value_visit::Entered entered;
  return value_visit::Find(value, is, entered);
}

template <typename Is>
bool AnyValue(const Value& value, Is&& is) {
  return FindValue(value, is) != nullptr;
}

// Calls `visit(const Value&)` with every value.
template <typename Visit>
void ForEachValue(const Value& value, Visit&& visit) {
  FindValue(value, [&](const Value& inner) {
    visit(inner);
    return false;
  });
}

template <typename Is>
bool AnyTensor(const Value& value, Is&& is) {
  return AnyValue(value, [&](const Value& inner) {
    const Tensor* t = inner.TryTensor();
    return t && is(*t);
  });
}

// Calls `visit(Tensor&)` with every tensor. A tensor that is there several times is visited each time.
template <typename Visit>
void ForEachTensor(const Value& value, Visit&& visit) {
  ForEachValue(value, [&](const Value& inner) {
    if (Tensor* t = inner.TryTensor()) visit(*t);
  });
}

inline std::vector<Tensor*> TensorsOf(std::span<const Value> values) {
  std::vector<Tensor*> tensors;
  for (const Value& value : values) ForEachTensor(value, [&](Tensor& t) { tensors.push_back(&t); });
  return tensors;
}

inline std::vector<Tensor*> TensorsOf(const Value& value) { return TensorsOf(std::span<const Value>(&value, 1)); }

// The value with every leaf replaced by `map(const Value&)`. Every new list, tuple, dict and slice is passed through
// `wrap(Value)`. A shared value stays the same object: `map` gets it as a leaf.
template <typename Map, typename Wrap>
Value MapValues(const Value& value, const Map& map, const Wrap& wrap) {
  if (const List* list = value.TryList()) {
    List out{{}, list->is_tuple};
    out.items.reserve(list->items.size());
    for (const Value& item : list->items) out.items.push_back(MapValues(item, map, wrap));
    return wrap(Value(std::move(out)));
  }
  if (const Dict* dict = value.TryGet<Dict>()) {
    Dict out;
    for (const auto& [key, item] : dict->items)
      out.items.emplace_back(MapValues(key, map, wrap), MapValues(item, map, wrap));
    return wrap(Value(std::move(out)));
  }
  if (const Slice* slice = value.TryGet<Slice>()) {
    Slice out;
    for (const Value& bound : slice->bounds) out.bounds.push_back(MapValues(bound, map, wrap));
    return wrap(Value(std::move(out)));
  }
  return map(value);
}

template <typename Map>
Value MapValues(const Value& value, const Map& map) {
  return MapValues(value, map, [](Value container) { return container; });
}

// The value with every tensor replaced by `map(Tensor&)`.
template <typename Map>
Value MapTensors(const Value& value, const Map& map) {
  return MapValues(value, [&](const Value& inner) -> Value {
    Tensor* t = inner.TryTensor();
    return t ? Value(map(*t)) : inner;
  });
}

}  // namespace fakeprop
