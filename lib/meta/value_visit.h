// Walks over a value and all that it holds: items of lists and tuples, keys and items of dicts, bounds of slices, and
// the contents of shared lists, dicts and objects. A shared value is entered once a walk, so one that holds itself
// ends.
//
// A leaf is a value that holds no others: a tensor, a node reference, a number, a string, None ...
#pragma once

#include <unordered_set>

#include "lib/meta/value.h"

namespace fakeprop {
namespace value_visit {

using Entered = std::unordered_set<const Value*>;

// The first leaf, in the order of the text, for which `is` holds; null where there is none.
template <typename F>
const Value* FindLeaf(const Value& value, F& is, Entered& entered) {
  if (const List* list = value.TryList()) {
    for (const Value& item : list->items)
      if (const Value* found = FindLeaf(item, is, entered)) return found;
  } else if (const Dict* dict = value.TryGet<Dict>()) {
    for (const auto& [key, item] : dict->items) {
      if (const Value* found = FindLeaf(key, is, entered)) return found;
      if (const Value* found = FindLeaf(item, is, entered)) return found;
    }
  } else if (const Slice* slice = value.TryGet<Slice>()) {
    for (const Value& bound : slice->bounds)
      if (const Value* found = FindLeaf(bound, is, entered)) return found;
  } else if (const SharedValue* shared = value.TryGet<SharedValue>()) {
    return entered.insert(shared->to.get()).second ? FindLeaf(*shared->to, is, entered) : nullptr;
  } else {
    return is(value) ? &value : nullptr;
  }
  return nullptr;
}

}  // namespace value_visit

// The first leaf for which `is(const Value&)` holds; null where there is none.
template <typename F>
const Value* FindLeaf(const Value& value, F&& is) {
  value_visit::Entered entered;
  return value_visit::FindLeaf(value, is, entered);
}

template <typename F>
bool AnyLeaf(const Value& value, F&& is) {
  return FindLeaf(value, is) != nullptr;
}

// Calls `visit(const Value&)` with every leaf.
template <typename F>
void ForEachLeaf(const Value& value, F&& visit) {
  FindLeaf(value, [&](const Value& leaf) {
    visit(leaf);
    return false;
  });
}

// Calls `visit(Tensor&)` with every tensor, as often as it is there.
template <typename F>
void ForEachTensor(const Value& value, F&& visit) {
  ForEachLeaf(value, [&](const Value& leaf) {
    if (Tensor* t = leaf.TryTensor()) visit(*t);
  });
}

// Calls `visit(NodeRef)` with every reference to a node.
template <typename F>
void ForEachNode(const Value& value, F&& visit) {
  ForEachLeaf(value, [&](const Value& leaf) {
    if (const NodeRef* ref = leaf.TryGet<NodeRef>()) visit(*ref);
  });
}

// The value with every leaf replaced by `map(const Value&)`, and every list, tuple, dict and slice that was put
// together anew by `wrap(Value)`. What is shared stays the same object: `map` gets it as a leaf.
template <typename Map, typename Wrap>
Value MapLeaves(const Value& value, const Map& map, const Wrap& wrap) {
  if (const List* list = value.TryList()) {
    List out{{}, list->is_tuple};
    out.items.reserve(list->items.size());
    for (const Value& item : list->items) out.items.push_back(MapLeaves(item, map, wrap));
    return wrap(Value(std::move(out)));
  }
  if (const Dict* dict = value.TryGet<Dict>()) {
    Dict out;
    for (const auto& [key, item] : dict->items)
      out.items.emplace_back(MapLeaves(key, map, wrap), MapLeaves(item, map, wrap));
    return wrap(Value(std::move(out)));
  }
  if (const Slice* slice = value.TryGet<Slice>()) {
    Slice out;
    for (const Value& bound : slice->bounds) out.bounds.push_back(MapLeaves(bound, map, wrap));
    return wrap(Value(std::move(out)));
  }
  return map(value);
}

template <typename Map>
Value MapLeaves(const Value& value, const Map& map) {
  return MapLeaves(value, map, [](Value whole) { return whole; });
}

// The value with every tensor replaced by `map(Tensor&)`.
template <typename Map>
Value MapTensors(const Value& value, const Map& map) {
  return MapLeaves(value, [&](const Value& leaf) -> Value {
    Tensor* t = leaf.TryTensor();
    return t ? Value(map(*t)) : leaf;
  });
}

}  // namespace fakeprop
