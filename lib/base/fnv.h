// FNV-1a, a hash that is the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace fakeprop {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325;

// Continues a hash.
constexpr uint64_t Hashed(uint64_t hash, std::string_view text) {
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace fakeprop
