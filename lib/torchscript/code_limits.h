// How deep and long the code of a TorchScript archive may be before a compiler sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fakeprop {

inline constexpr uint64_t kMostCodeBytes = uint64_t{256} << 20;

// What goes beyond what any model has, with its line: brackets, blocks or operators nested so deeply that a compiler
// that calls itself for each would not come back. Empty where nothing does.
std::string FindExcess(std::string_view code);

}  // namespace fakeprop
