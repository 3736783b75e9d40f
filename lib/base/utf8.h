// UTF-8 text, as far as output needs to know it: which bytes make a character, and how wide a terminal draws it.
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

// The first character of a text that is not empty.
Utf8Char DecodeUtf8(std::string_view text);

// Columns on a terminal: 0 for combining marks and controls, 2 for wide East Asian characters and emoji.
size_t DisplayWidth(std::string_view text);

// At most `width` columns: what is longer is cut and ends in an ellipsis.
std::string Truncate(std::string_view text, size_t width);

// Control characters, which could steer a terminal, shown as `?`; bytes that are no UTF-8 as U+FFFD.
std::string Printable(std::string_view text);

}  // namespace fakeprop
