#include "lib/base/base64.h"

#include <array>
#include <cstdint>
#include <stdexcept>

namespace fakeprop {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> Values() {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return values;
}

size_t PaddingOf(std::string_view text) { return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0; }

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < group.size() ? static_cast<uint8_t>(group[k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string DecodeBase64(std::string_view text) {
  static constexpr std::array<int8_t, 256> kValues = Values();
  const size_t padding = PaddingOf(text);
  if (text.size() % 4) throw std::invalid_argument("base64 of a wrong length");
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t bits = 0;
    for (size_t k = i; k < i + 4; ++k) {
      const int8_t value = k < text.size() - padding ? kValues[static_cast<uint8_t>(text[k])] : int8_t{0};
      if (value < 0) throw std::invalid_argument("not base64");
      bits = bits << 6 | static_cast<uint32_t>(value);
    }
    for (int shift : {16, 8, 0}) out += static_cast<char>(bits >> shift & 255);
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace fakeprop
