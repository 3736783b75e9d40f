// The name of an operator's argument in a rule. It is hashed when the rule is compiled, so finding the argument only
// compares a few integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace fakeprop {

// FNV-1a. No two names of the schema table share a hash (schema_test).
constexpr uint32_t HashArgumentName(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Also a template argument: `Pointwise<kDefault, "self", "other">`.
struct ArgumentName {
  template <size_t N>
  consteval ArgumentName(const char (&name)[N]) : hash(HashArgumentName({name, N - 1})) {}
  // A position, for rules that go through all arguments, and for those that still read arguments by position.
  constexpr ArgumentName(int position) : position(position) {}

  friend bool operator==(ArgumentName, ArgumentName) = default;

  uint32_t hash = 0;
  int32_t position = -1;
};

// for (ArgumentName name : ArgumentNames{"alpha", "beta"})
using ArgumentNames = std::initializer_list<ArgumentName>;

}  // namespace fakeprop
