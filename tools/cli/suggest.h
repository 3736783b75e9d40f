// The word that a typo was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop::cli {

// The nearest of `candidates` where one is near enough to be meant; else empty.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fakeprop::cli
