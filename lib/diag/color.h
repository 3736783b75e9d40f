// Colours on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace fakeprop {

enum class Color { kBold, kDim, kError, kWarning, kMark, kName };

// Wraps text in colours. Returns it unchanged if `enabled` is false.
struct Paint {
  bool enabled = false;

  std::string operator()(Color color, std::string_view text) const;
};

}  // namespace fakeprop
