// Evaluates operations on values. Source: torch/utils/_sympy/functions.py (torch 2.13).
#include <cmath>

#include "lib/symbolic/node.h"

namespace fakeprop {
namespace {

using Values = std::span<const SymNumber>;
using Result = std::optional<SymNumber>;

Result SumOf(const SymNode& node, Values values) {
  int64_t sum = node.integer, term;
  for (size_t i = 0; i < values.size(); ++i)
    if (__builtin_mul_overflow(values[i].integer, node.coefficients[i], &term) ||
        __builtin_add_overflow(sum, term, &sum))
      return std::nullopt;
  return SymNumber::Of(sum);
}

std::optional<int64_t> PowerOf(int64_t base, int64_t exponent) {
  // Any other base leaves int64 within 63 steps.
  if (base >= -1 && base <= 1) exponent = exponent == 0 ? 0 : 2 - exponent % 2;
  int64_t power = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(power, base, &power)) return std::nullopt;
  return power;
}

Result ProductOf(const SymNode& node, Values values) {
  int64_t product = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    auto power = PowerOf(values[i].integer, node.coefficients[i]);
    if (!power || __builtin_mul_overflow(product, *power, &product)) return std::nullopt;
  }
  return SymNumber::Of(product);
}

Result QuotientOf(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  return SymNumber::Of(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

Result RemainderOf(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return SymNumber::Of(int64_t{0});
  const int64_t rest = a % b;
  return SymNumber::Of(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

Result ExtremumOf(Values values, bool is_max) {
  SymNumber best = values[0];
  for (const SymNumber& v : values) {
    const bool less = v.type == SymType::kFloat ? v.real < best.real : v.integer < best.integer;
    const bool more = v.type == SymType::kFloat ? v.real > best.real : v.integer > best.integer;
    if (is_max ? more : less) best = v;
  }
  return best;
}

Result IntegerOf(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2**63
  return std::abs(value) < kLimit ? Result(SymNumber::Of(static_cast<int64_t>(value))) : Result();
}

// And, whose neutral value is true; Or, whose neutral value is false.
Result FirstOther(Values values, bool neutral) {
  for (const SymNumber& v : values)
    if (v.Truth() != neutral) return SymNumber::Of(!neutral);
  return SymNumber::Of(neutral);
}

Result DivideReals(double a, double b) { return b == 0 ? Result() : SymNumber::Of(a / b); }

}  // namespace

std::optional<double> ApplyRealFunction(const std::string& name, double x) {
  if (name == "sqrt") return std::sqrt(x);
  if (name == "exp") return std::exp(x);
  if (name == "log") return std::log(x);
  if (name == "log2") return std::log2(x);
  if (name == "log10") return std::log10(x);
  if (name == "sin") return std::sin(x);
  if (name == "cos") return std::cos(x);
  if (name == "tan") return std::tan(x);
  if (name == "tanh") return std::tanh(x);
  if (name == "Abs") return std::abs(x);
  if (name == "TruncToFloat") return std::trunc(x);
  return std::nullopt;
}

std::optional<SymNumber> ApplyOperation(const SymNode& node, std::span<const SymNumber> v) {
  switch (node.op) {
    case SymOp::kInteger: return SymNumber::Of(node.integer);
    case SymOp::kReal: return SymNumber::Of(node.real);
    case SymOp::kTruth: return SymNumber::Of(node.integer != 0);
    case SymOp::kSymbol: return std::nullopt;
    case SymOp::kSum: return SumOf(node, v);
    case SymOp::kProduct: return ProductOf(node, v);
    case SymOp::kFloorDiv: return QuotientOf(v[0].integer, v[1].integer);
    case SymOp::kMod: return RemainderOf(v[0].integer, v[1].integer);
    case SymOp::kMin: return ExtremumOf(v, false);
    case SymOp::kMax: return ExtremumOf(v, true);
    case SymOp::kWhere: return v[0].Truth() ? v[1] : v[2];
    case SymOp::kPow: {
      auto power = v[1].integer < 0 ? std::nullopt : PowerOf(v[0].integer, v[1].integer);
      return power ? Result(SymNumber::Of(*power)) : Result();
    }
    case SymOp::kToFloat: return SymNumber::Of(v[0].AsReal());
    case SymOp::kTruncToInt: return IntegerOf(std::trunc(v[0].real));
    case SymOp::kFloorToInt: return IntegerOf(std::floor(v[0].real));
    case SymOp::kCeilToInt: return IntegerOf(std::ceil(v[0].real));
    case SymOp::kRoundToInt: return IntegerOf(std::nearbyint(v[0].real));
    case SymOp::kFloatAdd: return SymNumber::Of(v[0].real + v[1].real);
    case SymOp::kFloatMul: return SymNumber::Of(v[0].real * v[1].real);
    case SymOp::kFloatDiv: return DivideReals(v[0].AsReal(), v[1].AsReal());
    case SymOp::kFloatPow: return SymNumber::Of(std::pow(v[0].real, v[1].real));
    case SymOp::kFunction: {
      auto value = ApplyRealFunction(node.name, v[0].real);
      return value ? Result(SymNumber::Of(*value)) : Result();
    }
    case SymOp::kEqualZero: return SymNumber::Of(v[0].integer == 0);
    case SymOp::kAtMostZero: return SymNumber::Of(v[0].integer <= 0);
    case SymOp::kFloatEqual: return SymNumber::Of(v[0].real == v[1].real);
    case SymOp::kFloatLess: return SymNumber::Of(v[0].real < v[1].real);
    case SymOp::kFloatAtMost: return SymNumber::Of(v[0].real <= v[1].real);
    case SymOp::kAnd: return FirstOther(v, true);
    case SymOp::kOr: return FirstOther(v, false);
    case SymOp::kNot: return SymNumber::Of(!v[0].Truth());
  }
  return std::nullopt;
}

}  // namespace fakeprop
