#include "lib/base/byte_count.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string_view>

namespace fakeprop {
namespace {

constexpr std::string_view kUnits = "KMGTP";
constexpr const char* kUnitNames[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
constexpr int kLastUnit = std::size(kUnitNames) - 1;

// The number before its unit; what follows it goes to `unit`.
std::optional<double> ReadNumber(const std::string& text, std::string_view& unit) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !(number > 0)) return std::nullopt;
  unit = {rest, static_cast<size_t>(end - rest)};
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return number;
}

std::optional<int64_t> AsInteger(double number) {
  constexpr double kLimit = 9.2e18;
  number = std::floor(number);
  return number >= 1 && number < kLimit ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

// "", "K", "Ki" ...: the factor of a unit without its last letter `B`.
std::optional<double> FactorOf(std::string_view unit, double kilo) {
  if (unit.empty()) return 1;
  const size_t power = kUnits.find(unit[0]);
  return unit.size() == 1 && power != kUnits.npos ? std::optional(std::pow(kilo, power + 1)) : std::nullopt;
}

}  // namespace

std::optional<int64_t> ReadByteCount(const std::string& text) {
  std::string_view unit;
  const std::optional<double> number = ReadNumber(text, unit);
  if (!number) return std::nullopt;
  double kilo = 1024;
  if (unit.ends_with("iB")) {
    unit.remove_suffix(2);
  } else if (unit.ends_with("B")) {
    unit.remove_suffix(1);
    kilo = 1000;
  }
  const std::optional<double> factor = FactorOf(unit, kilo);
  return factor ? AsInteger(*number * *factor) : std::nullopt;
}

std::optional<int64_t> ReadCount(const std::string& text) {
  std::string_view unit;
  const std::optional<double> number = ReadNumber(text, unit);
  const std::optional<double> factor = number ? FactorOf(unit, 1000) : std::nullopt;
  return factor ? AsInteger(*number * *factor) : std::nullopt;
}

std::string BytesText(int64_t bytes) {
  double scaled = static_cast<double>(bytes);
  int unit = 0;
  for (; scaled >= 1024 && unit < kLastUnit; ++unit) scaled /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", scaled, kUnitNames[unit]);
  return text;
}

std::string ExactBytesText(uint64_t bytes) {
  int unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit < kLastUnit; ++unit) bytes /= 1024;
  return std::to_string(bytes) + " " + kUnitNames[unit];
}

std::string WithCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3 + (number < 0);) text.insert(at -= 3, ",");
  return text;
}

}  // namespace fakeprop
