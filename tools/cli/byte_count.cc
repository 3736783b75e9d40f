#include "tools/cli/byte_count.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace fakeprop::cli {
namespace {

constexpr std::string_view kUnits = "KMGTP";

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

std::string WithCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3 + (number < 0);) text.insert(at -= 3, ",");
  return text;
}

}  // namespace fakeprop::cli
