#include "lib/base/utf8.h"

#include <algorithm>
#include <iterator>

namespace fakeprop {
namespace {

struct CodePoints {
  char32_t first, last;
};

bool IsIn(const CodePoints* begin, const CodePoints* end, char32_t code) {
  const CodePoints* it =
      std::upper_bound(begin, end, code, [](char32_t c, const CodePoints& r) { return c < r.first; });
  return it != begin && code <= std::prev(it)->last;
}

// Marks that are drawn over what stands before them.
constexpr CodePoints kCombining[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x610, 0x61a}, {0x64b, 0x65f},
    {0x200b, 0x200f}, {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
// East Asian Width W and F, and emoji.
constexpr CodePoints kWide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

size_t Width(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return 1;
  if (IsIn(std::begin(kCombining), std::end(kCombining), code)) return 0;
  return IsIn(std::begin(kWide), std::end(kWide), code) ? 2 : 1;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

Utf8Char DecodeUtf8(std::string_view text) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  char32_t code = lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text[i])) return {};
    code = code << 6 | (text[i] & 0x3f);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[size] || code > 0x10ffff || is_surrogate) return {};
  return {code, size, true};
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Utf8Char c = DecodeUtf8(text);
    width += c.is_valid ? Width(c.code) : 1;
    text.remove_prefix(c.size);
  }
  return width;
}

std::string Truncate(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string out;
  size_t used = 0;
  while (!text.empty()) {
    const Utf8Char c = DecodeUtf8(text);
    const size_t w = c.is_valid ? Width(c.code) : 1;
    if (used + w > width - 1) break;
    used += w;
    out += text.substr(0, c.size);
    text.remove_prefix(c.size);
  }
  return out + "…";
}

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Char c = DecodeUtf8(text);
    if (!c.is_valid) {
      out += "\xef\xbf\xbd";
    } else if (c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0)) {
      out += '?';
    } else {
      out += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  return out;
}

}  // namespace fakeprop
