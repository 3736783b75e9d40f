#include "lib/json/json_text.h"

#include <array>
#include <charconv>
#include <cstring>

#include "lib/base/utf8.h"

namespace fakeprop {
namespace {

// True for each byte that is written as it is.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> is_plain{};
  for (int c = 0x20; c < 0x80; ++c) is_plain[c] = c != '"' && c != '\\';
  return is_plain;
}();

bool IsPlain(char c) { return kIsPlain[static_cast<unsigned char>(c)]; }

// IsPlain of eight bytes at once. A byte that is too small borrows into its highest bit.
bool ArePlain(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighest = 0x80 * kOnes;
  const uint64_t quote = bytes ^ ('"' * kOnes), backslash = bytes ^ ('\\' * kOnes);
  return !(
      (bytes | ((bytes - 0x20 * kOnes) & ~bytes) | ((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) &
      kHighest);
}

// Copies the plain front of the text and returns its size. Most texts are short, so it calls no memcpy.
size_t CopyPlain(std::string_view text, char* to) {
  size_t size = 0;
  for (; size + 8 <= text.size(); size += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, text.data() + size, sizeof bytes);
    if (!ArePlain(bytes)) break;
    std::memcpy(to + size, &bytes, sizeof bytes);
  }
  for (; size < text.size() && IsPlain(text[size]); ++size) to[size] = text[size];
  return size;
}

void AppendEscape(char c, TextBuffer& out) {
  switch (c) {
    case '"': return out.Append("\\\"");
    case '\\': return out.Append("\\\\");
    case '\n': return out.Append("\\n");
    case '\t': return out.Append("\\t");
    case '\r': return out.Append("\\r");
  }
  constexpr char kHex[] = "0123456789abcdef";
  out.Append("\\u00");
  out.Append(kHex[c >> 4 & 15]);
  out.Append(kHex[c & 15]);
}

// Appends the first character, which is not plain. Returns its size.
size_t AppendSpecial(std::string_view text, TextBuffer& out) {
  const Utf8Char character = DecodeUtf8(text);
  if (!character.is_valid) out.Append("\xef\xbf\xbd");
  else if (character.size > 1) out.Append(text.substr(0, character.size));
  else AppendEscape(text[0], out);
  return character.size;
}

// Appends a text whose first character is not plain.
void AppendRest(std::string_view text, TextBuffer& out) {
  while (!text.empty()) {
    text.remove_prefix(AppendSpecial(text, out));
    char* const to = out.Room(text.size());
    const size_t plain = CopyPlain(text, to);
    out.EndAt(to + plain);
    text.remove_prefix(plain);
  }
}

}  // namespace

void AppendString(std::string_view text, TextBuffer& out) {
  char* const to = out.Room(text.size() + 2);
  *to = '"';
  const size_t plain = CopyPlain(text, to + 1);
  out.EndAt(to + 1 + plain);
  if (plain < text.size()) AppendRest(text.substr(plain), out);
  out.Append('"');
}

void AppendInt(int64_t value, TextBuffer& out) {
  constexpr size_t kLongest = 20;  // -9223372036854775808
  char* const to = out.Room(kLongest);
  out.EndAt(std::to_chars(to, to + kLongest, value).ptr);
}

void AppendFloat(double value, TextBuffer& out) {
  constexpr size_t kLongest = 32;
  char* const to = out.Room(kLongest);
  char* const end = std::to_chars(to, to + kLongest, value).ptr;
  out.EndAt(end);
  if (std::string_view(to, end - to).find_first_of(".e") == std::string_view::npos) out.Append(".0");
}

}  // namespace fakeprop
