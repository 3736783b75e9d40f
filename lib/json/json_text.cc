#include "lib/json/json_text.h"

#include <charconv>

#include "lib/base/utf8.h"

namespace fakeprop {
namespace {

bool IsPlain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\';
}

void WriteEscape(char c, std::string& out) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
  }
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u00";
  out += kHex[c >> 4 & 15];
  out += kHex[c & 15];
}

}  // namespace

void AppendString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Char next = DecodeUtf8(text);
    if (!next.is_valid) {
      out += "\xef\xbf\xbd";
    } else if (next.size > 1) {
      out += text.substr(0, next.size);
    } else {
      WriteEscape(text[0], out);
    }
    text.remove_prefix(next.size);
  }
  out += '"';
}

void AppendInt(int64_t value, std::string& out) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void AppendFloat(double value, std::string& out) {
  char buffer[32];
  const std::string_view text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr - buffer);
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

}  // namespace fakeprop
