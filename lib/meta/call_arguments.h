// The arguments of one call, by position.
#pragma once

#include <forward_list>
#include <span>

#include "lib/base/small_vector.h"
#include "lib/meta/value.h"

namespace fakeprop {

// Most arguments are pointers to values that live elsewhere, such as results of nodes. Values that were made for the
// call live here.
class CallArguments {
 public:
  CallArguments() = default;
  explicit CallArguments(std::span<const Value* const> given) : pointers_(given.begin(), given.end()) {}
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;

  void Add(const Value* elsewhere) { pointers_.push_back(elsewhere); }
  void AddMade(Value value) { pointers_.push_back(Keep(std::move(value))); }
  void Replace(size_t i, Value value) { pointers_[i] = Keep(std::move(value)); }

  size_t size() const { return pointers_.size(); }
  const Value& operator[](size_t i) const { return *pointers_[i]; }
  std::span<const Value* const> span() const { return {pointers_.data(), pointers_.size()}; }

 private:
  const Value* Keep(Value value) { return &made_.emplace_front(std::move(value)); }

  SmallVector<const Value*, 8> pointers_;
  std::forward_list<Value> made_;
};

}  // namespace fakeprop
