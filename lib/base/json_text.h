// JSON spelt into a growing string: what every output shares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fakeprop {

// In quotes, escaped where JSON asks for it. Bytes that are no UTF-8 come out as U+FFFD: file names may hold any.
void WriteString(std::string_view text, std::string& out);

void WriteInt(int64_t value, std::string& out);

// The shortest spelling that reads back as the same number, always with `.` or an exponent; infinities and NaN as
// {"type": "float", "value": "Infinity"}.
void WriteFloat(double value, std::string& out);

}  // namespace fakeprop
