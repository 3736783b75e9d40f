// Finds the word that a typo was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

// The nearest of `candidates`. Empty if none is near enough.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean `float32`?", or nothing if `nearest` is empty.
std::string DidYouMean(std::string_view nearest);

}  // namespace fakeprop
