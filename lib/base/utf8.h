// UTF-8 text for output: which bytes make a character, and how wide it is on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fakeprop {

struct Utf8Char {
  char32_t code = 0;
  size_t size = 1;  // bytes; 1 for a byte that begins no character
  bool is_valid = false;
};

// The first character of the text, which must not be empty.
Utf8Char DecodeUtf8(std::string_view text);

// Columns on a terminal: 0 for combining marks and controls, 2 for wide East Asian characters and emoji.
size_t DisplayWidth(std::string_view text);

// At most `width` columns. A longer text is cut and ends in an ellipsis.
std::string Truncate(std::string_view text, size_t width);

// The text without bytes that could control a terminal: control characters become `?`, and bytes that are not UTF-8
// become U+FFFD.
std::string Printable(std::string_view text);

}  // namespace fakeprop
