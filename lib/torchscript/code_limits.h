// Limits the depth and length of a TorchScript archive's code before a compiler sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fakeprop {

inline constexpr uint64_t kMostCodeBytes = uint64_t{256} << 20;

// Describes the first excess, with its line: brackets, blocks or operators that are nested more deeply than in any
// model, so that a recursive compiler would overflow its stack. Empty if there is none.
std::string FindExcess(std::string_view code);

}  // namespace fakeprop
