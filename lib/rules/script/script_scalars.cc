// Operators on numbers alone: TorchScript's arithmetic, comparisons and mathematical functions, which graphs name as
// torch.ops.aten.add.int, eq.int, sqrt.float ... They compute; no tensor is involved.
// Source: torch/csrc/jit/runtime/register_prim_ops.cpp, register_ops_utils.h (torch 2.13).
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::rules {
namespace {

using Complex = std::complex<double>;

// ---- operands: an int, a float or a complex number, as the schema's type says

double AsFloat(const Value& number) {
  if (auto d = number.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  return number.Get<double>();
}

Complex AsComplex(const Value& number) {
  if (auto c = number.TryGet<Complex>()) return *c;
  if (auto b = number.TryGet<bool>()) return *b ? 1.0 : 0.0;
  return AsFloat(number);
}

// A bool is refused for a Scalar, as the interpreter's arithmetic does.
Value NumberOperand(const Call& call, ArgumentName name) {
  switch (call.schema().arguments[call.Index(name)].type.kind) {
    case TypeKind::kBool: return Dim(call.Bool(name));  // any number but 0 is true
    case TypeKind::kFloat: return call.Float(name);
    case TypeKind::kComplex: return AsComplex(call.Number(name));
    case TypeKind::kScalar:
      if (call.Arg(name).Is<bool>())
        FailAs(call, ErrorClass::kTypeError, {"takes an int, a float or a complex number, not {}", call.Arg(name)});
      return call.Number(name);
    default: return call.DimArg(name);
  }
}

// Returns a float where the schema says so, else the result as it is.
void ReturnDeclared(Call& call, Value result) {
  if (call.schema().returns[0].type.kind == TypeKind::kFloat && result.Is<Dim>()) result = AsFloat(result);
  call.ReturnNumber(std::move(result));
}

// Whether the overload has this argument.
bool Takes(const Call& call, ArgumentName name) { return call.Declares(name); }

[[noreturn]] void FailComplex(const Call& call) {
  FailAs(call, ErrorClass::kTypeError, "does not take complex numbers");
}

double NonZero(double divisor) {
  RequireValue(divisor != 0, "division by zero");
  return divisor;
}

// ---- two operands

// On ints where both are, on complex numbers where one is, else on floats.
template <auto OnInts, auto OnFloats, auto OnComplex = nullptr>
void Binary(Call& call) {
  const Value a = NumberOperand(call, "a"), b = NumberOperand(call, "b");
  if (a.Is<Dim>() && b.Is<Dim>()) return ReturnDeclared(call, OnInts(a.Get<Dim>(), b.Get<Dim>()));
  if (a.Is<Complex>() || b.Is<Complex>()) {
    if constexpr (std::is_null_pointer_v<decltype(OnComplex)>) {
      FailComplex(call);
    } else {
      return ReturnDeclared(call, OnComplex(AsComplex(a), AsComplex(b)));
    }
  }
  ReturnDeclared(call, OnFloats(AsFloat(a), AsFloat(b)));
}

// The same function of two floats, whatever the operands are.
template <auto OnFloats, auto OnComplex = nullptr>
constexpr Rule kOfFloats = Binary<[](Dim a, Dim b) { return OnFloats(AsFloat(a), AsFloat(b)); }, OnFloats, OnComplex>;

// Numbers wrap around as 64-bit integers, as in the interpreter. Symbols are computed like sizes.
template <typename Operation>
Value Wrapping(Dim a, Dim b) {
  const auto x = a.TryNumber(), y = b.TryNumber();
  if (!x || !y) return Operation{}(a, b);
  return static_cast<int64_t>(Operation{}(static_cast<uint64_t>(*x), static_cast<uint64_t>(*y)));
}

template <typename Operation>
constexpr auto kPlain = [](auto a, auto b) { return Value(Operation{}(a, b)); };
template <typename Operation>
constexpr Rule kArithmetic = Binary<Wrapping<Operation>, kPlain<Operation>, kPlain<Operation>>;

// Without an error for a divisor of 0, unlike Python's.
constexpr Rule kDivide = kOfFloats<kPlain<std::divides<>>, kPlain<std::divides<>>>;

constexpr auto kFloorDivInts = [](Dim a, Dim b) { return Value(FloorDiv(a, b)); };
constexpr auto kFloorDivFloats = [](double a, double b) { return Value(std::floor(a / b)); };
constexpr auto kModInts = [](Dim a, Dim b) { return Value(Mod(a, b)); };
constexpr auto kModFloats = [](double a, double b) { return Value(std::fmod(b + std::fmod(a, b), b)); };
constexpr auto kFmod = [](double a, double b) { return Value(std::fmod(a, b)); };
constexpr auto kIeeeRemainder = [](double a, double b) { return Value(std::remainder(a, b)); };
constexpr auto kAtan2 = [](double a, double b) { return Value(std::atan2(a, b)); };
constexpr auto kCopySign = [](double a, double b) { return Value(std::copysign(a, b)); };
constexpr auto kPolar = [](double a, double b) { return Value(Complex(a * std::cos(b), a * std::sin(b))); };
constexpr auto kLogOf = [](auto a, auto b) { return Value(std::log(a) / std::log(b)); };
constexpr auto kComplexPow = [](Complex a, Complex b) { return Value(std::pow(a, b)); };
constexpr auto kPow = [](double a, double b) {
  if (a == 0 && b < 0) FailValue("0.0 cannot be raised to a negative power");
  return Value(std::pow(a, b));
};

// C++'s division, towards zero.
Value TruncatedQuotient(Dim a, Dim b) {
  const Dim quotient = FloorDiv(a, b);
  return Guard(Lt(quotient, 0)) && Guard(Ne(quotient * b, a)) ? quotient + 1 : quotient;
}

// Quotient and remainder as Python has them.
void DivMod(Call& call) {
  const Value a = NumberOperand(call, "x"), b = NumberOperand(call, "y");
  if (a.Is<Dim>() && b.Is<Dim>()) {
    call.ReturnNumber(FloorDiv(a.Get<Dim>(), b.Get<Dim>()));
    call.ReturnNumber(Mod(a.Get<Dim>(), b.Get<Dim>()));
    return;
  }
  const double x = AsFloat(a), y = NonZero(AsFloat(b));
  const double rest = std::fmod(x, y);
  const bool across = rest != 0 && (y < 0) != (rest < 0);
  call.ReturnNumber((x - rest) / y - (across ? 1 : 0));
  call.ReturnNumber(across ? rest + y : rest);
}

// ---- ints and bools

template <typename OnInts>
void Bitwise(Call& call) {
  const int64_t result = OnInts{}(call.Int("a"), call.Int("b"));
  call.schema().returns[0].type.kind == TypeKind::kBool ? call.ReturnNumber(result != 0) : call.ReturnNumber(result);
}

// Shifts of other widths are undefined in C++.
uint64_t ShiftWidth(const Call& call) {
  const int64_t width = call.Int("b");
  RequireValue(call, width >= 0 && width <= 63, {"shifts by 0 to 63 bits, not by {}", width});
  return static_cast<uint64_t>(width);
}

void ShiftLeft(Call& call) {
  call.ReturnNumber(static_cast<int64_t>(static_cast<uint64_t>(call.Int("a")) << ShiftWidth(call)));
}
void ShiftRight(Call& call) { call.ReturnNumber(call.Int("a") >> ShiftWidth(call)); }

uint64_t Magnitude(int64_t x) { return x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x); }

void GreatestDivisor(Call& call) {
  call.ReturnNumber(static_cast<int64_t>(std::gcd(Magnitude(call.Int("a")), Magnitude(call.Int("b")))));
}

void Factorial(Call& call) {
  const int64_t n = call.Int("a");
  RequireValue(call, n >= 0, {"is not defined for the negative value {}", n});
  uint64_t product = 1;
  for (int64_t i = 2; i <= n && product != 0; ++i) product *= static_cast<uint64_t>(i);  // 66! is 0 in 64 bits
  call.ReturnNumber(static_cast<int64_t>(product));
}

void Not(Call& call) { call.ReturnNumber(!call.Bool("self")); }

// How many steps range(lo, hi, step) takes, and the i-th of them.
void RangeLength(Call& call) {
  const Dim lo = call.DimArg("lo"), hi = call.DimArg("hi"), step = call.DimArg("step");
  RequireValue(call, !GuardOrFalse(Eq(step, 0)), "takes a step other than 0");
  const bool up = Guard(Gt(step, 0));
  const bool is_empty = up ? Guard(Ge(lo, hi)) : Guard(Le(lo, hi));
  const Dim steps = is_empty ? Dim(0) : up ? CeilDiv(hi - lo, step) : CeilDiv(lo - hi, -step);
  call.ReturnNumber(steps);
}

void RangeIndex(Call& call) { call.ReturnNumber(call.DimArg("start") + call.DimArg("index") * call.DimArg("step")); }

// ---- one operand

// A function of a float that may also take complex numbers. Its results for a Scalar that is real are rounded to
// float32, as the interpreter's are.
template <auto Function>
void Unary(Call& call) {
  const Value x = NumberOperand(call, "a");
  if (auto z = x.TryGet<Complex>()) {
    if constexpr (std::is_invocable_v<decltype(Function), Complex>) {
      return void(call.ReturnNumber(Value(Function(*z))));
    } else {
      FailComplex(call);
    }
  }
  const double result = Function(AsFloat(x));
  const bool is_scalar = call.schema().returns[0].type.kind == TypeKind::kScalar;
  call.ReturnNumber(is_scalar ? static_cast<double>(static_cast<float>(result)) : result);
}

template <double (*Round)(double)>
void ToInt(Call& call) {
  const Value x = NumberOperand(call, "a");
  if (x.Is<Dim>()) return void(call.ReturnNumber(x));
  if (!x.Is<double>()) FailComplex(call);
  const double rounded = Round(x.Get<double>());
  if (!(std::abs(rounded) < 9.2e18)) Fail(ErrorClass::kOverflow, Format("no 64-bit integer for {}", x));
  call.ReturnNumber(static_cast<int64_t>(rounded));
}

void Negative(Call& call) {
  const Value x = NumberOperand(call, "a");
  if (auto d = x.TryGet<Dim>()) return ReturnDeclared(call, Wrapping<std::minus<>>(0, *d));
  Unary<[](auto v) { return -v; }>(call);
}

void FrExp(Call& call) {
  int exponent = 0;
  call.ReturnNumber(std::frexp(call.Float("a"), &exponent));
  call.ReturnNumber(exponent);
}

void ModF(Call& call) {
  double whole = 0;
  call.ReturnNumber(std::modf(call.Float("a"), &whole));
  call.ReturnNumber(whole);
}

void LdExp(Call& call) {
  const double clamped = std::min(std::max(call.Float("i"), -5000.0), 5000.0);  // beyond both it is 0 or inf
  call.ReturnNumber(std::ldexp(call.Float("x"), static_cast<int>(clamped)));
}

constexpr double kPi = 3.14159265358979323846;

constexpr Rule kAcos = Unary<[](auto x) { return std::acos(x); }>;
constexpr Rule kAcosh = Unary<[](auto x) { return std::acosh(x); }>;
constexpr Rule kAngle = Unary<[](auto x) { return std::arg(x); }>;
constexpr Rule kAsin = Unary<[](auto x) { return std::asin(x); }>;
constexpr Rule kAsinh = Unary<[](auto x) { return std::asinh(x); }>;
constexpr Rule kAtan = Unary<[](auto x) { return std::atan(x); }>;
constexpr Rule kAtanh = Unary<[](auto x) { return std::atanh(x); }>;
constexpr Rule kCos = Unary<[](auto x) { return std::cos(x); }>;
constexpr Rule kCosh = Unary<[](auto x) { return std::cosh(x); }>;
constexpr Rule kDegrees = Unary<[](double x) { return x * 180 / kPi; }>;
constexpr Rule kErf = Unary<[](double x) { return std::erf(x); }>;
constexpr Rule kErfc = Unary<[](double x) { return std::erfc(x); }>;
constexpr Rule kExp = Unary<[](auto x) { return std::exp(x); }>;
constexpr Rule kExpm1 = Unary<[](double x) { return std::expm1(x); }>;
constexpr Rule kFabs = Unary<[](double x) { return std::fabs(x); }>;
constexpr Rule kGamma = Unary<[](double x) { return std::tgamma(x); }>;
constexpr Rule kLgamma = Unary<[](double x) { return std::lgamma(x); }>;
constexpr Rule kLog = Unary<[](auto x) { return std::log(x); }>;
void Log(Call& call) { Takes(call, "b") ? kOfFloats<kLogOf, kLogOf>(call) : kLog(call); }

constexpr Rule kLog10 = Unary<[](auto x) { return std::log10(x); }>;
constexpr Rule kLog1p = Unary<[](double x) { return std::log1p(x); }>;
constexpr Rule kRadians = Unary<[](double x) { return x * kPi / 180; }>;
constexpr Rule kRound = Unary<[](double x) { return std::nearbyint(x); }>;
constexpr Rule kSin = Unary<[](auto x) { return std::sin(x); }>;
constexpr Rule kSinh = Unary<[](auto x) { return std::sinh(x); }>;
constexpr Rule kSqrt = Unary<[](auto x) { return std::sqrt(x); }>;
constexpr Rule kTan = Unary<[](auto x) { return std::tan(x); }>;
constexpr Rule kTanh = Unary<[](auto x) { return std::tanh(x); }>;

constexpr Rule kToFloat = Unary<[](double x) { return x; }>;

void ToBool(Call& call) { call.ReturnNumber(AsFloat(NumberOperand(call, "a")) != 0); }

void ToComplex(Call& call) {
  if (Takes(call, "y")) return void(call.ReturnNumber(Complex(call.Float("x"), call.Float("y"))));
  call.ReturnNumber(AsComplex(NumberOperand(call, "a")));
}

template <auto Predicate, auto Join>
void Ask(Call& call) {
  const Complex z = AsComplex(NumberOperand(call, "a"));
  call.ReturnNumber(Join(Predicate(z.real()), Predicate(z.imag())));
}

constexpr auto kIsNan = [](double x) { return std::isnan(x); };
constexpr auto kIsInf = [](double x) { return std::isinf(x); };
constexpr auto kIsFinite = [](double x) { return std::isfinite(x); };

// ---- comparisons

template <auto OnInts, typename OnOthers>
void Compare(Call& call) {
  Binary<[](Dim a, Dim b) { return Value(Guard(OnInts(a, b))); }, kPlain<OnOthers>>(call);
}

template <auto OnInts, typename OnOthers>
void CompareAny(Call& call) {
  Binary<[](Dim a, Dim b) { return Value(Guard(OnInts(a, b))); }, kPlain<OnOthers>, kPlain<OnOthers>>(call);
}

// A name, and what serves its overloads whose arguments are all numbers.
struct NumberRow {
  std::string_view name;
  Rule rule;
};

constexpr NumberRow kRows[] = {
    {"aten::add", kArithmetic<std::plus<>>},
    {"aten::sub", kArithmetic<std::minus<>>},
    {"aten::mul", kArithmetic<std::multiplies<>>},
    {"aten::div", kDivide},
    {"aten::floordiv", Binary<kFloorDivInts, kFloorDivFloats>},
    {"aten::__round_to_zero_floordiv", Binary<TruncatedQuotient, kFloorDivFloats>},
    {"aten::remainder", Binary<kModInts, kModFloats>},
    {"aten::mathremainder", kOfFloats<kIeeeRemainder>},
    {"aten::fmod", kOfFloats<kFmod>},
    {"aten::divmod", DivMod},
    {"aten::pow", kOfFloats<kPow, kComplexPow>},
    {"aten::atan2", kOfFloats<kAtan2>},
    {"aten::copysign", kOfFloats<kCopySign>},
    {"aten::polar", kOfFloats<kPolar>},
    {"aten::gcd", GreatestDivisor},
    {"aten::ldexp", LdExp},
    {"aten::frexp", FrExp},
    {"aten::modf", ModF},
    {"aten::factorial", Factorial},
    {"aten::neg", Negative},

    {"aten::__and__", Bitwise<std::bit_and<>>},
    {"aten::__or__", Bitwise<std::bit_or<>>},
    {"aten::__xor__", Bitwise<std::bit_xor<>>},
    {"aten::__lshift__", ShiftLeft},
    {"aten::__rshift__", ShiftRight},
    {"aten::__not__", Not},
    {"aten::__range_length", RangeLength},
    {"aten::__derive_index", RangeIndex},

    {"aten::eq", CompareAny<Eq, std::equal_to<>>},
    {"aten::ne", CompareAny<Ne, std::not_equal_to<>>},
    {"aten::lt", Compare<Lt, std::less<>>},
    {"aten::le", Compare<Le, std::less_equal<>>},
    {"aten::gt", Compare<Gt, std::greater<>>},
    {"aten::ge", Compare<Ge, std::greater_equal<>>},

    {"aten::Int", ToInt<std::trunc>},
    {"aten::Float", kToFloat},
    {"aten::Bool", ToBool},
    {"aten::Complex", ToComplex},
    {"aten::ceil", ToInt<std::ceil>},
    {"aten::floor", ToInt<std::floor>},
    {"aten::round", kRound},
    {"aten::isnan", Ask<kIsNan, std::logical_or<>{}>},
    {"aten::isinf", Ask<kIsInf, std::logical_or<>{}>},
    {"aten::isfinite", Ask<kIsFinite, std::logical_and<>{}>},

    {"aten::acos", kAcos},
    {"aten::acosh", kAcosh},
    {"aten::angle", kAngle},
    {"aten::asin", kAsin},
    {"aten::asinh", kAsinh},
    {"aten::atan", kAtan},
    {"aten::atanh", kAtanh},
    {"aten::cos", kCos},
    {"aten::cosh", kCosh},
    {"aten::degrees", kDegrees},
    {"aten::erf", kErf},
    {"aten::erfc", kErfc},
    {"aten::exp", kExp},
    {"aten::expm1", kExpm1},
    {"aten::fabs", kFabs},
    {"aten::gamma", kGamma},
    {"aten::lgamma", kLgamma},
    {"aten::log", Log},
    {"aten::log10", kLog10},
    {"aten::log1p", kLog1p},
    {"aten::radians", kRadians},
    {"aten::sin", kSin},
    {"aten::sinh", kSinh},
    {"aten::sqrt", kSqrt},
    {"aten::tan", kTan},
    {"aten::tanh", kTanh},
};

bool IsNumber(const Type& type) {
  using enum TypeKind;
  for (TypeKind kind : {kInt, kFloat, kBool, kComplex, kScalar})
    if (type.kind == kind) return !type.is_list && !type.is_optional;
  return false;
}

bool TakesNumbersAlone(const Schema& schema) {
  return std::all_of(schema.arguments.begin(), schema.arguments.end(), [](const auto& a) {
    return IsNumber(a.type);
  }) && std::all_of(schema.returns.begin(), schema.returns.end(), [](const auto& r) { return IsNumber(r.type); });
}

std::vector<RuleRow> RowsOfOverloads() {
  std::vector<RuleRow> rows;
  for (const NumberRow& row : kRows) {
    for (const SchemaEntry& entry : Overloads(row.name))
      if (TakesNumbersAlone(*FindSchema(entry.full_name))) rows.push_back({entry.full_name, row.rule});
  }
  return rows;
}

}  // namespace

RuleRows ScriptScalarsRules() {
  static const std::vector<RuleRow> rows = RowsOfOverloads();
  return rows;
}

}  // namespace fakeprop::rules
