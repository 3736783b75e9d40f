// Writes strings and numbers as JSON spells them. JsonWriter combines them to values.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/json/text_buffer.h"

namespace fakeprop {

// Writes the text in quotes, with the escapes that JSON asks for. Bytes that are not UTF-8 become U+FFFD.
void AppendString(std::string_view text, TextBuffer& out);

void AppendInt(int64_t value, TextBuffer& out);

// The shortest text that reads back as the same number, always with `.` or an exponent. JSON has no infinities and no
// NaN.
void AppendFloat(double value, TextBuffer& out);

}  // namespace fakeprop
