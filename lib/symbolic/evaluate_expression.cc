// Evaluates the functions of SymPy and torch on numbers. Source: torch/utils/_sympy/functions.py (torch 2.13).
#include <algorithm>
#include <cmath>
#include <functional>

#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

using Arguments = std::span<const Number>;
using Result = std::optional<Number>;

std::optional<int64_t> FloorQuotient(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Result Add(Arguments a) {
  Number sum = Number::Of(int64_t{0});
  for (const Number& n : a) {
    int64_t integer = 0;
    if (!sum.is_integer || !n.is_integer) sum = Number::Of(sum.real + n.real);
    else if (__builtin_add_overflow(sum.integer, n.integer, &integer)) return std::nullopt;
    else sum = Number::Of(integer);
  }
  return sum;
}

Result Multiply(Arguments a) {
  Number product = Number::Of(int64_t{1});
  for (const Number& n : a) {
    int64_t integer = 0;
    if (!product.is_integer || !n.is_integer) product = Number::Of(product.real * n.real);
    else if (__builtin_mul_overflow(product.integer, n.integer, &integer)) return std::nullopt;
    else product = Number::Of(integer);
  }
  return product;
}

Result Power(Arguments a) {
  if (!a[0].is_integer || !a[1].is_integer || a[1].integer < 0) return Number::Of(std::pow(a[0].real, a[1].real));
  int64_t base = a[0].integer, exponent = a[1].integer, power = 1;
  // Any other base leaves int64 within 63 steps.
  if (base >= -1 && base <= 1) exponent = exponent == 0 ? 0 : 2 - exponent % 2;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(power, base, &power)) return std::nullopt;
  return Number::Of(power);
}

Result FloorDivide(Arguments a) {
  if (!a[0].is_integer || !a[1].is_integer)
    return a[1].real == 0 ? Result() : Number::Of(std::floor(a[0].real / a[1].real));
  std::optional<int64_t> quotient = FloorQuotient(a[0].integer, a[1].integer);
  return quotient ? Result(Number::Of(*quotient)) : Result();
}

Result CeilDivide(Arguments a) {
  if (!a[0].is_integer || !a[1].is_integer) return std::nullopt;
  std::optional<int64_t> quotient = FloorQuotient(a[0].integer, a[1].integer);
  if (!quotient) return std::nullopt;
  return Number::Of(*quotient + (a[0].integer % a[1].integer != 0));
}

// Both of torch's Mod functions are Python's, if they are defined.
Result Modulo(Arguments a) {
  if (!a[0].is_integer || !a[1].is_integer) return std::nullopt;
  const int64_t divisor = a[1].integer;
  if (divisor == 0) return std::nullopt;
  if (divisor == -1) return Number::Of(int64_t{0});
  const int64_t rest = a[0].integer % divisor;
  return Number::Of(rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest);
}

// (base // divisor) % modulus
Result ModularIndexing(Arguments a) {
  Result quotient = FloorDivide(a.first(2));
  if (!quotient) return std::nullopt;
  Number arguments[] = {*quotient, a[2]};
  return Modulo(arguments);
}

// Integers are compared as such: beyond 2**53, different ones are equal as floats.
template <typename Is>
bool Compare(const Number& a, const Number& b) {
  return a.is_integer && b.is_integer ? Is()(a.integer, b.integer) : Is()(a.real, b.real);
}

// The first argument that no other one comes before.
template <typename IsBefore>
Result Extremum(Arguments a) {
  Number best = a[0];
  for (const Number& n : a) best = Compare<IsBefore>(n, best) ? n : best;
  return best;
}

Result Absolute(Arguments a) {
  if (!a[0].is_integer) return Number::Of(std::abs(a[0].real));
  return a[0].integer == INT64_MIN ? Result() : Number::Of(a[0].integer < 0 ? -a[0].integer : a[0].integer);
}

Result TrueDivide(Arguments a) { return a[1].real == 0 ? Result() : Number::Of(a[0].real / a[1].real); }
Result ToFloat(Arguments a) { return Number::Of(a[0].real); }
Result Same(Arguments a) { return a[0]; }
Result Where(Arguments a) { return a[0].real != 0 ? a[1] : a[2]; }

Result ToInteger(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2**63
  return std::abs(value) < kLimit ? Result(Number::Of(static_cast<int64_t>(value))) : Result();
}
Result TruncateToInt(Arguments a) { return ToInteger(std::trunc(a[0].real)); }
Result FloorToInt(Arguments a) { return a[0].is_integer ? a[0] : ToInteger(std::floor(a[0].real)); }
Result CeilToInt(Arguments a) { return a[0].is_integer ? a[0] : ToInteger(std::ceil(a[0].real)); }
// To even, as Python rounds.
Result RoundToInt(Arguments a) { return ToInteger(std::nearbyint(a[0].real)); }

Result TruncateToFloat(Arguments a) { return Number::Of(std::trunc(a[0].real)); }

Result Truth(bool truth) { return Number::Of(int64_t{truth}); }
template <typename Is>
Result Compared(Arguments a) {
  return Truth(Compare<Is>(a[0], a[1]));
}

Result All(Arguments a) {
  return Truth(std::all_of(a.begin(), a.end(), [](const Number& n) { return n.real != 0; }));
}
Result Any(Arguments a) {
  return Truth(std::any_of(a.begin(), a.end(), [](const Number& n) { return n.real != 0; }));
}
Result Negation(Arguments a) { return Truth(a[0].real == 0); }

struct Function {
  std::string_view name;
  size_t arity;  // 0: any number from one on
  Result (*apply)(Arguments);
};

constexpr Function kFunctions[] = {
    {"Add", 0, Add},
    {"Mul", 0, Multiply},
    {"Max", 0, Extremum<std::greater<>>},
    {"Min", 0, Extremum<std::less<>>},
    {"Abs", 1, Absolute},
    {"Pow", 2, Power},
    {"PowByNatural", 2, Power},
    {"FloatPow", 2, Power},
    {"FloorDiv", 2, FloorDivide},
    {"CleanDiv", 2, FloorDivide},
    {"CeilDiv", 2, CeilDivide},
    {"Mod", 2, Modulo},
    {"PythonMod", 2, Modulo},
    {"ModularIndexing", 3, ModularIndexing},
    {"Rational", 2, TrueDivide},
    {"IntTrueDiv", 2, TrueDivide},
    {"FloatTrueDiv", 2, TrueDivide},
    {"ToFloat", 1, ToFloat},
    {"TruncToInt", 1, TruncateToInt},
    {"TruncToFloat", 1, TruncateToFloat},
    {"FloorToInt", 1, FloorToInt},
    {"floor", 1, FloorToInt},
    {"CeilToInt", 1, CeilToInt},
    {"ceiling", 1, CeilToInt},
    {"RoundToInt", 1, RoundToInt},
    {"Identity", 1, Same},
    {"Where", 3, Where},
    {"Equality", 2, Compared<std::equal_to<>>},
    {"Unequality", 2, Compared<std::not_equal_to<>>},
    {"StrictLessThan", 2, Compared<std::less<>>},
    {"LessThan", 2, Compared<std::less_equal<>>},
    {"StrictGreaterThan", 2, Compared<std::greater<>>},
    {"GreaterThan", 2, Compared<std::greater_equal<>>},
    {"And", 0, All},
    {"Or", 0, Any},
    {"Not", 1, Negation},
    {"Eq", 2, Compared<std::equal_to<>>},
    {"Ne", 2, Compared<std::not_equal_to<>>},
    {"Lt", 2, Compared<std::less<>>},
    {"Le", 2, Compared<std::less_equal<>>},
    {"Gt", 2, Compared<std::greater<>>},
    {"Ge", 2, Compared<std::greater_equal<>>},
};

const Function* FindFunction(const Expression& call) {
  for (const Function& function : kFunctions) {
    bool fits = function.arity == 0 ? !call.arguments.empty() : function.arity == call.arguments.size();
    if (function.name == call.name && fits) return &function;
  }
  return nullptr;
}

}  // namespace

std::optional<Number> Evaluate(const Expression& expression, const SymbolValues& values) {
  if (expression.kind == Expression::Kind::kNumber) return expression.number;
  if (expression.IsSymbol()) {
    auto value = values.find(expression.name);
    return value == values.end() ? std::nullopt : std::optional(Number::Of(value->second));
  }
  const Function* function = FindFunction(expression);
  if (!function) return std::nullopt;
  std::vector<Number> arguments;
  for (const Expression& argument : expression.arguments) {
    std::optional<Number> number = Evaluate(argument, values);
    if (!number) return std::nullopt;
    arguments.push_back(*number);
  }
  return function->apply(arguments);
}

}  // namespace fakeprop
