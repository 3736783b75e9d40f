// Remembers what was found out about operators: a table for each type of facts.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace fakeprop::dispatch {

// The facts of an operator, made as Facts(op). Those of LibTorch's own operators are made once, and stay. Other
// libraries may be unloaded and define an operator again, so facts of their operators are made at each call.
template <typename Facts>
class PerOperator {
 public:
  explicit PerOperator(const c10::OperatorHandle& op) : facts_(FindOrMake(op)) {}
  const Facts* operator->() const { return facts_; }
  const Facts& operator*() const { return *facts_; }

 private:
  using Key = const c10::OperatorName*;  // lies in the dispatcher's entry of the operator

  const Facts* FindOrMake(const c10::OperatorHandle& op) {
    struct Slot {
      Key key = nullptr;
      const Facts* facts = nullptr;
    };
    constexpr size_t kSlots = 1024;
    thread_local std::array<Slot, kSlots> slots;
    const Key key = &op.operator_name();
    Slot& slot = slots[(reinterpret_cast<uintptr_t>(key) >> 4) % kSlots];
    if (slot.key == key) return slot.facts;
    if (!key->name.starts_with("aten::")) return &own_.emplace(op);
    slot = {key, FindShared(op)};
    return slot.facts;
  }

  static const Facts* FindShared(const c10::OperatorHandle& op) {
    static auto* const mutex = new std::mutex;
    static auto* const all = new std::unordered_map<Key, std::unique_ptr<const Facts>>;
    const std::lock_guard lock(*mutex);
    std::unique_ptr<const Facts>& facts = (*all)[&op.operator_name()];
    if (!facts) facts = std::make_unique<const Facts>(op);
    return facts.get();
  }

  std::optional<Facts> own_;
  const Facts* const facts_;
};

}  // namespace fakeprop::dispatch
