#include "lib/value_ranges/real_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

using Maybe = std::optional<RealInterval>;

Maybe Same(const RealInterval& x) { return x; }
Maybe Negative(const RealInterval& x) { return RealInterval{-x.high, -x.low}; }

Maybe Absolute(const RealInterval& x) {
  const double ends[] = {std::abs(x.low), std::abs(x.high)};
  return RealInterval{x.low <= 0 && x.high >= 0 ? 0 : std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

// Functions that grow with their argument.
template <double (*function)(double)>
Maybe Growing(const RealInterval& x) {
  return RealInterval{function(x.low), function(x.high)};
}
template <double (*function)(double)>
Maybe GrowingAboveZero(const RealInterval& x) {
  return x.low > 0 ? Growing<function>(x) : std::nullopt;
}

Maybe Sum(const RealInterval& a, const RealInterval& b) { return RealInterval{a.low + b.low, a.high + b.high}; }
Maybe Difference(const RealInterval& a, const RealInterval& b) { return RealInterval{a.low - b.high, a.high - b.low}; }
Maybe ReverseDifference(const RealInterval& a, const RealInterval& b) { return Difference(b, a); }

Maybe Product(const RealInterval& a, const RealInterval& b) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return RealInterval{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Maybe Quotient(const RealInterval& a, const RealInterval& b) {
  if (b.low <= 0 && b.high >= 0) return std::nullopt;
  return Product(a, {1 / b.high, 1 / b.low});
}

Maybe Smaller(const RealInterval& a, const RealInterval& b) { return SmallerOf(a, b); }
Maybe Larger(const RealInterval& a, const RealInterval& b) { return LargerOf(a, b); }

struct RealFunctionRow {
  std::string_view op;
  RealFunction function;
};
constexpr RealFunctionRow kFunctions[] = {
    {"to", Same},
    {"_to_copy", Same},
    {"type_as", Same},
    {"clone", Same},
    {"contiguous", Same},
    {"detach", Same},
    {"alias", Same},
    {"neg", Negative},
    {"abs", Absolute},
    {"floor", Growing<std::floor>},
    {"ceil", Growing<std::ceil>},
    {"trunc", Growing<std::trunc>},
    {"sqrt", GrowingAboveZero<std::sqrt>},
    {"log", GrowingAboveZero<std::log>},
    {"log2", GrowingAboveZero<std::log2>},
    {"log10", GrowingAboveZero<std::log10>},
};

struct RealOperationRow {
  std::string_view op;
  RealOperation operation;
};
constexpr RealOperationRow kOperations[] = {
    {"add", Sum},
    {"sub", Difference},
    {"rsub", ReverseDifference},
    {"mul", Product},
    {"div", Quotient},
    {"minimum", Smaller},
    {"min", Smaller},
    {"maximum", Larger},
    {"max", Larger},
};

template <typename Rows>
auto FindRow(const Rows& rows, std::string_view op) {
  return std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.op == op; });
}

// The distance from 1 to the next number, and the greatest number; 0 for another dtype.
struct FloatFormat {
  double unit = 0, greatest = 0;
};
FloatFormat FormatOf(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double: return {0x1p-52, std::numeric_limits<double>::max()};
    case ScalarType::Float: return {0x1p-23, std::numeric_limits<float>::max()};
    case ScalarType::Half: return {0x1p-10, 65504};
    case ScalarType::BFloat16: return {0x1p-7, 0x1.fep127};
    default: return {};
  }
}

// Room for the rounding of doubles here, and of kernels there. The least room is above all that is lost near zero.
RealInterval Widened(const RealInterval& x, double unit, double least) {
  const auto room = [&](double end) { return std::max(4 * unit * std::abs(end), least); };
  return {x.low - room(x.low), x.high + room(x.high)};
}

Maybe RoundedToIntegers(const RealInterval& exact, ScalarType dtype) {
  constexpr double kExact = 0x1p53;
  const bool is_exact = std::abs(exact.low) < kExact && std::abs(exact.high) < kExact;
  const RealInterval wide = is_exact ? exact : Widened(exact, 0x1p-52, 0);
  const double limit = dtype == ScalarType::Long ? 0x1p62 : dtype == ScalarType::Int ? 0x1p31 - 1 : 0;
  if (std::max(std::abs(wide.low), std::abs(wide.high)) > limit) return std::nullopt;
  return RealInterval{std::trunc(wide.low), std::trunc(wide.high)};
}

}  // namespace

RealInterval SmallerOf(const RealInterval& a, const RealInterval& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}
RealInterval LargerOf(const RealInterval& a, const RealInterval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

RealFunction FindRealFunction(std::string_view op) {
  const auto row = FindRow(kFunctions, op);
  return row == std::end(kFunctions) ? nullptr : row->function;
}

RealOperation FindRealOperation(std::string_view op) {
  const auto row = FindRow(kOperations, op);
  return row == std::end(kOperations) ? nullptr : row->operation;
}

std::optional<RealInterval> RoundedTo(const RealInterval& exact, ScalarType dtype) {
  if (!std::isfinite(exact.low) || !std::isfinite(exact.high)) return std::nullopt;
  if (IsIntegral(dtype)) return RoundedToIntegers(exact, dtype);
  const FloatFormat format = FormatOf(dtype);
  // The least room holds what is lost in numbers of half below its normal ones, too.
  const RealInterval wide = Widened(exact, format.unit, dtype == ScalarType::Half ? 0x1p-22 : 0x1p-120);
  const bool fits = std::max(std::abs(wide.low), std::abs(wide.high)) < format.greatest;
  return fits ? std::optional(wide) : std::nullopt;
}

}  // namespace fakeprop
