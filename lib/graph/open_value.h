// A value with holes that a run fills, such as an argument that contains results of other nodes. A `Value` has no
// holes, so the compiler tells the two apart.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

enum class ContainerKind { kList, kTuple, kDict, kSlice };

// `items` of a dict: a key, its value, the next key and so on. Of a slice: start, stop, step.
Value ContainerOf(ContainerKind kind, std::vector<Value> items);

template <typename T, typename... Types>
concept OneOf = (std::same_as<std::remove_cvref_t<T>, Types> || ...);

template <typename... Holes>
class OpenValue {
 public:
  // It contains a hole, else it would be a Value. ContainerOf makes it.
  struct Container {
    ContainerKind kind;
    std::vector<OpenValue> items;  // as in ContainerOf
  };
  using Variant = std::variant<Value, Holes..., Container>;

  OpenValue() = default;  // None
  template <std::convertible_to<Value> T>
  OpenValue(T&& plain) : v_(Value(std::forward<T>(plain))) {}
  template <OneOf<Holes...> T>
  OpenValue(T&& hole) : v_(std::forward<T>(hole)) {}
  OpenValue(Container container) : v_(std::move(container)) {}

  // The value, if it has no hole.
  const Value* TryPlain() const { return std::get_if<Value>(&v_); }
  Value* TryPlain() { return std::get_if<Value>(&v_); }
  const Container* TryContainer() const { return std::get_if<Container>(&v_); }

  // T is a hole, or an alternative of Value for a value without holes.
  template <typename T>
  const T* TryGet() const {
    if constexpr (OneOf<T, Holes...>) return std::get_if<T>(&v_);
    else return TryPlain() ? TryPlain()->template TryGet<T>() : nullptr;
  }
  template <typename T>
  bool Is() const {
    return TryGet<T>() != nullptr;
  }
  bool IsNone() const { return Is<std::monostate>(); }

  const Variant& variant() const { return v_; }

 private:
  Variant v_;
};

// A Value if no item has a hole.
template <typename... Holes>
OpenValue<Holes...> ContainerOf(ContainerKind kind, std::vector<OpenValue<Holes...>> items) {
  using Open = OpenValue<Holes...>;
  bool is_plain = true;
  for (const Open& item : items) is_plain = is_plain && item.TryPlain();
  if (!is_plain) return typename Open::Container{kind, std::move(items)};
  std::vector<Value> plain;
  plain.reserve(items.size());
  for (Open& item : items) plain.push_back(std::move(*item.TryPlain()));
  return ContainerOf(kind, std::move(plain));
}

// Calls the one of `functions` that takes the argument.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

// Calls `visit` with every hole, and with every Value between them.
template <typename... Holes, typename Visit>
void ForEachLeaf(const OpenValue<Holes...>& value, const Visit& visit) {
  const auto visit_held = [&]<typename Held>(const Held& held) {
    if constexpr (std::same_as<Held, typename OpenValue<Holes...>::Container>)
      for (const auto& item : held.items) ForEachLeaf(item, visit);
    else visit(held);
  };
  std::visit(visit_held, value.variant());
}

// The value with every leaf replaced by `map(leaf)`, an `Out`: a Value, or an OpenValue.
template <typename Out, typename... Holes, typename Map>
Out MapLeaves(const OpenValue<Holes...>& value, const Map& map) {
  const auto map_held = [&]<typename Held>(const Held& held) -> Out {
    if constexpr (std::same_as<Held, typename OpenValue<Holes...>::Container>) {
      std::vector<Out> items;
      items.reserve(held.items.size());
      for (const auto& item : held.items) items.push_back(MapLeaves<Out>(item, map));
      return ContainerOf(held.kind, std::move(items));
    } else {
      return map(held);
    }
  };
  return std::visit(map_held, value.variant());
}

// The value with every hole filled by `fill(hole)`.
template <typename... Holes, typename FillHole>
Value Fill(const OpenValue<Holes...>& value, const FillHole& fill) {
  return MapLeaves<Value>(value, Overloaded{[](const Value& plain) { return plain; }, fill});
}

}  // namespace fakeprop
