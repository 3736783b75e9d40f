// How JSON spells strings and numbers. JsonWriter puts them together to values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fakeprop {

// In quotes, escaped where JSON asks for it. Bytes that are not UTF-8 become U+FFFD.
void AppendString(std::string_view text, std::string& out);

void AppendInt(int64_t value, std::string& out);

// The shortest text that reads back as the same number, always with `.` or an exponent. JSON has no infinities and no
// NaN.
void AppendFloat(double value, std::string& out);

}  // namespace fakeprop
