// Source: Python's operator and math modules; torch/__init__.py sym_* (torch 2.13).
#include "lib/python/builtins.h"

#include <cmath>
#include <numeric>

#include "lib/error/error.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using Arguments = std::span<const Value* const>;

[[noreturn]] void FailOperands(std::string_view what, Arguments arguments) {
  std::string text;
  for (const Value* a : arguments) text += (text.empty() ? "" : " and ") + ToString(*a);
  Fail(ErrorClass::kTypeError, std::string(what) + " does not take " + text);
}

void RequireCount(std::string_view what, Arguments arguments, size_t count) {
  if (arguments.size() != count)
    Fail(ErrorClass::kTypeError,
        std::string(what) + " takes " + std::to_string(count) + " arguments, not " + std::to_string(arguments.size()));
}

std::optional<Dim> AsInt(const Value& v) {
  if (auto d = v.TryGet<Dim>()) return *d;
  if (auto b = v.TryGet<bool>()) return Dim(*b ? 1 : 0);
  return std::nullopt;
}

std::optional<double> AsFloat(const Value& v) {
  if (auto s = v.TryGet<Symbolic>()) return s->expression->env->Specialize(s->expression).AsReal();
  if (auto d = v.TryGet<double>()) return *d;
  if (auto i = AsInt(v)) return static_cast<double>(i->Specialize());
  return std::nullopt;
}

double RequireFloat(std::string_view what, Arguments arguments, size_t i) {
  if (auto f = AsFloat(*arguments[i])) return *f;
  FailOperands(what, arguments);
}

// An operator on two ints, or on two floats where one operand is a float.
template <auto OnInts, auto OnFloats>
Value Binary(Arguments arguments) {
  RequireCount("an arithmetic operator", arguments, 2);
  const auto x = AsInt(*arguments[0]), y = AsInt(*arguments[1]);
  if (x && y) return OnInts(*x, *y);
  return OnFloats(
      RequireFloat("an arithmetic operator", arguments, 0), RequireFloat("an arithmetic operator", arguments, 1));
}

double NonZero(double divisor) {
  if (divisor == 0) Fail(ErrorClass::kValueError, "division by zero");
  return divisor;
}

Value PowInts(Dim base, Dim exponent) {
  if (Guard(Lt(exponent, 0)))
    return std::pow(static_cast<double>(base.Specialize()), static_cast<double>(exponent.Specialize()));
  Dim out = 1;
  for (int64_t rest = exponent.Specialize(); rest > 0; rest /= 2) {
    if (rest % 2) out *= base;
    if (rest > 1) base *= base;
  }
  return out;
}

template <auto Compare, typename FloatCompare>
Value Comparison(Arguments arguments) {
  RequireCount("a comparison", arguments, 2);
  const auto x = AsInt(*arguments[0]), y = AsInt(*arguments[1]);
  if (x && y) return Guard(Compare(*x, *y));
  return FloatCompare{}(RequireFloat("a comparison", arguments, 0), RequireFloat("a comparison", arguments, 1));
}

bool AsBool(const Value& v, Arguments arguments) {
  if (auto b = v.TryGet<bool>()) return *b;
  if (auto f = AsFloat(v)) return *f != 0;
  FailOperands("a logical operator", arguments);
}

template <auto OnBools, auto OnInts>
Value Bitwise(Arguments arguments) {
  RequireCount("a bitwise operator", arguments, 2);
  if (arguments[0]->Is<bool>() && arguments[1]->Is<bool>())
    return OnBools(arguments[0]->Get<bool>(), arguments[1]->Get<bool>());
  const auto x = AsInt(*arguments[0]), y = AsInt(*arguments[1]);
  if (!x || !y) FailOperands("a bitwise operator", arguments);
  return OnInts(x->Specialize(), y->Specialize());
}

Value GetItem(Arguments arguments) {
  RequireCount("operator.getitem", arguments, 2);
  const List* list = arguments[0]->TryList();
  const auto index = AsInt(*arguments[1]);
  if (!list || !index) FailOperands("operator.getitem", arguments);
  const int64_t size = static_cast<int64_t>(list->items.size());
  int64_t i = index->Specialize();
  if (i < -size || i >= size)
    Fail(ErrorClass::kIndexOutOfRange,
        "index " + std::to_string(i) + " is out of range for a list of " + std::to_string(size));
  return list->items[i < 0 ? i + size : i];
}

Value Neg(Arguments arguments) {
  RequireCount("operator.neg", arguments, 1);
  if (auto x = AsInt(*arguments[0])) return -*x;
  return -RequireFloat("operator.neg", arguments, 0);
}

Value Pos(Arguments arguments) {
  RequireCount("operator.pos", arguments, 1);
  if (auto x = AsInt(*arguments[0])) return *x;
  return RequireFloat("operator.pos", arguments, 0);
}

int64_t ShiftCount(int64_t y) {
  if (y < 0 || y > 62) Fail(ErrorClass::kValueError, "a shift by " + std::to_string(y) + " is outside 0 to 62");
  return y;
}

Value Not(Arguments arguments) {
  RequireCount("a negation", arguments, 1);
  return !AsBool(*arguments[0], arguments);
}

Value ToFloat(Arguments arguments) {
  RequireCount("torch.sym_float", arguments, 1);
  return RequireFloat("torch.sym_float", arguments, 0);
}

// A float rounded to an int; an int stays as it is.
template <double (*Round)(double)>
Value ToInt(Arguments arguments) {
  RequireCount("a rounding function", arguments, 1);
  if (auto x = AsInt(*arguments[0])) return *x;
  const double rounded = Round(RequireFloat("a rounding function", arguments, 0));
  if (!(std::abs(rounded) < 9.2e18)) Fail(ErrorClass::kOverflow, "no 64-bit integer for " + ToString(*arguments[0]));
  return static_cast<int64_t>(rounded);
}

Value Round(Arguments arguments) {
  if (arguments.size() == 1) return ToInt<std::nearbyint>(arguments);
  RequireCount("round", arguments, 2);
  const double scale = std::pow(10.0, RequireFloat("round", arguments, 1));
  return std::nearbyint(RequireFloat("round", arguments, 0) * scale) / scale;
}

template <double (*Function)(double)>
Value Math(Arguments arguments) {
  RequireCount("a math function", arguments, 1);
  return Function(RequireFloat("a math function", arguments, 0));
}

bool IsNan(double x) { return std::isnan(x); }
bool IsInf(double x) { return std::isinf(x); }

template <bool (*Function)(double)>
Value Test(Arguments arguments) {
  RequireCount("a math function", arguments, 1);
  return Function(RequireFloat("a math function", arguments, 0));
}

Value Logarithm(Arguments arguments) {
  if (arguments.size() == 1) return Math<std::log>(arguments);
  RequireCount("math.log", arguments, 2);
  return std::log(RequireFloat("math.log", arguments, 0)) / std::log(RequireFloat("math.log", arguments, 1));
}

Value Power(Arguments arguments) {
  RequireCount("math.pow", arguments, 2);
  return std::pow(RequireFloat("math.pow", arguments, 0), RequireFloat("math.pow", arguments, 1));
}

Value Gcd(Arguments arguments) {
  int64_t divisor = 0;
  for (const Value* a : arguments) {
    auto x = AsInt(*a);
    if (!x) FailOperands("math.gcd", arguments);
    divisor = std::gcd(divisor, x->Specialize());
  }
  return divisor;
}

Value Product(Arguments arguments) {
  if (arguments.size() != 1 || !arguments[0]->TryList()) FailOperands("math.prod", arguments);
  Value product = 1;
  for (const Value& item : arguments[0]->TryList()->items) product = CallBuiltin("_operator.mul", {product, item});
  return product;
}

// The instance of some namedtuple: its fields' values.
Value NamedTuple(Arguments arguments) {
  const List* fields = arguments.size() == 1 ? arguments[0]->TryList() : nullptr;
  if (!fields || !fields->is_tuple) FailOperands("collections.namedtuple", arguments);
  return *arguments[0];
}

Value IfThenElse(Arguments arguments) {
  RequireCount("torch.sym_ite", arguments, 3);
  return AsBool(*arguments[0], arguments) ? *arguments[1] : *arguments[2];
}

Value Sum(Arguments arguments) {
  Dim total = 0;
  for (const Value* a : arguments) {
    auto x = AsInt(*a);
    if (!x) FailOperands("torch.sym_sum", arguments);
    total += *x;
  }
  return total;
}

Value SumOfList(Arguments arguments) {
  if (arguments.size() != 1 || !arguments[0]->TryList()) return Sum(arguments);
  std::vector<const Value*> items;
  for (const Value& item : arguments[0]->TryList()->items) items.push_back(&item);
  return Sum(items);
}

constexpr auto kAddInts = [](Dim x, Dim y) { return Value(x + y); };
constexpr auto kAddFloats = [](double x, double y) { return Value(x + y); };
constexpr auto kSubInts = [](Dim x, Dim y) { return Value(x - y); };
constexpr auto kSubFloats = [](double x, double y) { return Value(x - y); };
constexpr auto kMulInts = [](Dim x, Dim y) { return Value(x * y); };
constexpr auto kMulFloats = [](double x, double y) { return Value(x * y); };
constexpr auto kFloorDivFloats = [](double x, double y) { return Value(std::floor(x / NonZero(y))); };
constexpr auto kFloorDivInts = [](Dim x, Dim y) { return Value(FloorDiv(x, y)); };
constexpr auto kModInts = [](Dim x, Dim y) { return Value(Mod(x, y)); };
constexpr auto kModFloats = [](double x, double y) { return Value(x - std::floor(x / NonZero(y)) * y); };
constexpr auto kTrueDivInts = [](Dim x, Dim y) {
  return Value(static_cast<double>(x.Specialize()) / NonZero(static_cast<double>(y.Specialize())));
};
constexpr auto kTrueDivFloats = [](double x, double y) { return Value(x / NonZero(y)); };
constexpr auto kPowFloats = [](double x, double y) { return Value(std::pow(x, y)); };
constexpr auto kMaxInts = [](Dim x, Dim y) { return Value(Max(x, y)); };
constexpr auto kMaxFloats = [](double x, double y) { return Value(std::max(x, y)); };
constexpr auto kMinInts = [](Dim x, Dim y) { return Value(Min(x, y)); };
constexpr auto kMinFloats = [](double x, double y) { return Value(std::min(x, y)); };
constexpr auto kAndBools = [](bool x, bool y) { return Value(x && y); };
constexpr auto kAndInts = [](int64_t x, int64_t y) { return Value(x & y); };
constexpr auto kOrBools = [](bool x, bool y) { return Value(x || y); };
constexpr auto kOrInts = [](int64_t x, int64_t y) { return Value(x | y); };
constexpr auto kXorBools = [](bool x, bool y) { return Value(x != y); };
constexpr auto kXorInts = [](int64_t x, int64_t y) { return Value(x ^ y); };

constexpr auto kShiftLeft = [](int64_t x, int64_t y) { return Value(Dim(x) * Dim(int64_t{1} << ShiftCount(y))); };
constexpr auto kShiftRight = [](int64_t x, int64_t y) { return Value(x >> ShiftCount(y)); };
constexpr auto kShiftBools = [](bool x, bool y) { return Value(int64_t{x} << int{y}); };

struct BuiltinRow {
  std::string_view target;
  Value (*function)(Arguments);
};

constexpr BuiltinRow kRows[] = {
    {"_operator.getitem", GetItem},
    {"_operator.add", Binary<kAddInts, kAddFloats>},
    {"_operator.sub", Binary<kSubInts, kSubFloats>},
    {"_operator.mul", Binary<kMulInts, kMulFloats>},
    {"_operator.floordiv", Binary<kFloorDivInts, kFloorDivFloats>},
    {"_operator.mod", Binary<kModInts, kModFloats>},
    {"_operator.truediv", Binary<kTrueDivInts, kTrueDivFloats>},
    {"_operator.pow", Binary<PowInts, kPowFloats>},
    {"_operator.neg", Neg},
    {"_operator.pos", Pos},
    {"_operator.lshift", Bitwise<kShiftBools, kShiftLeft>},
    {"_operator.rshift", Bitwise<kShiftBools, kShiftRight>},
    {"_operator.not_", Not},
    {"_operator.eq", Comparison<Eq, std::equal_to<>>},
    {"_operator.ne", Comparison<Ne, std::not_equal_to<>>},
    {"_operator.lt", Comparison<Lt, std::less<>>},
    {"_operator.le", Comparison<Le, std::less_equal<>>},
    {"_operator.gt", Comparison<Gt, std::greater<>>},
    {"_operator.ge", Comparison<Ge, std::greater_equal<>>},
    {"_operator.and_", Bitwise<kAndBools, kAndInts>},
    {"_operator.or_", Bitwise<kOrBools, kOrInts>},
    {"_operator.xor", Bitwise<kXorBools, kXorInts>},
    {"math.ceil", ToInt<std::ceil>},
    {"math.floor", ToInt<std::floor>},
    {"math.trunc", ToInt<std::trunc>},
    {"math.sqrt", Math<std::sqrt>},
    {"math.exp", Math<std::exp>},
    {"math.log", Logarithm},
    {"math.log2", Math<std::log2>},
    {"math.log10", Math<std::log10>},
    {"math.log1p", Math<std::log1p>},
    {"math.sin", Math<std::sin>},
    {"math.cos", Math<std::cos>},
    {"math.tan", Math<std::tan>},
    {"math.tanh", Math<std::tanh>},
    {"math.fabs", Math<std::fabs>},
    {"math.isnan", Test<IsNan>},
    {"math.isinf", Test<IsInf>},
    {"math.pow", Power},
    {"math.gcd", Gcd},
    {"math.prod", Product},
    {"collections.namedtuple", NamedTuple},
    {"builtins.round", Round},
    {"round", Round},
    {"torch.sym_float", ToFloat},
    {"torch.sym_int", ToInt<std::trunc>},
    {"torch.sym_ite", IfThenElse},
    {"torch.sym_max", Binary<kMaxInts, kMaxFloats>},
    {"torch.sym_min", Binary<kMinInts, kMinFloats>},
    {"torch.sym_not", Not},
    {"torch.sym_sum", SumOfList},
    {"torch._sym_sqrt", Math<std::sqrt>},
    {"torch.sym_sqrt", Math<std::sqrt>},
    {"torch._sym_cos", Math<std::cos>},
    {"torch._sym_sin", Math<std::sin>},
    {"torch._sym_log2", Math<std::log2>},
};

}  // namespace

Value Builtin::operator()(std::span<const Value* const> arguments) const {
  if (auto expression = CallSymbolic(symbolic, arguments)) return *std::move(expression);
  return plain(arguments);
}

Builtin FindBuiltin(std::string_view target) {
  for (const BuiltinRow& row : kRows)
    if (row.target == target) return {row.function, FindSymbolicFunction(target)};
  return {};
}

Value CallBuiltin(std::string_view target, std::initializer_list<Value> arguments) {
  std::vector<const Value*> pointers;
  for (const Value& argument : arguments) pointers.push_back(&argument);
  const Builtin function = FindBuiltin(target);
  if (!function) FailOperands(target, pointers);
  return function(pointers);
}

}  // namespace fakeprop
