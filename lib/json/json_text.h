// How JSON spells strings and numbers. JsonWriter puts them together to values.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/json/text_buffer.h"

namespace fakeprop {

// In quotes, escaped where JSON asks for it. Bytes that are not UTF-8 become U+FFFD.
void AppendString(std::string_view text, TextBuffer& out);

void AppendInt(int64_t value, TextBuffer& out);

// The shortest text that reads back as the same number, always with `.` or an exponent. JSON has no infinities and no
// NaN.
void AppendFloat(double value, TextBuffer& out);

}  // namespace fakeprop
