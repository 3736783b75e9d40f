// Reads a text from its front, part by part.
#pragma once

#include <algorithm>
#include <string_view>

namespace fakeprop {

// Takes the text up to `separator` off the front, and the separator too. Takes the whole text if there is no separator.
inline std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace fakeprop
