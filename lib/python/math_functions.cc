// Python's math module, beyond what exported graphs call (builtins.cc). Source: Python's Modules/mathmodule.c.
#include <cmath>
#include <numbers>
#include <numeric>

#include "lib/python/registry.h"

namespace fakeprop {
namespace {

// A tensor's element is taken as Python's float() takes it.
double Number(Python& python, const Value& value) {
  if (Tensor* t = value.TryTensor()) return Number(python, python.Item(*t));
  if (const bool* b = value.TryGet<bool>()) return *b;
  return AsFloat(value);
}

int64_t Integer(const Value& value) {
  if (const bool* b = value.TryGet<bool>()) return *b;
  return AsInt(value).Specialize();
}

// A result that is no number though all arguments are is Python's "math domain error"; one beyond all floats its range
// error.
Value Checked(double result, std::initializer_list<double> arguments) {
  bool finite = true;
  for (double argument : arguments) finite &= std::isfinite(argument);
  if (finite && std::isnan(result)) Fail(ErrorClass::kValueError, "math domain error");
  if (finite && std::isinf(result)) Fail(ErrorClass::kOverflow, "math range error");
  return result;
}

template <double (*kFunction)(double)>
Value Unary(Python& python, const Bindings& a) {
  const double x = Number(python, a["x"]);
  return Checked(kFunction(x), {x});
}

template <double (*kFunction)(double, double)>
Value OfTwo(Python& python, const Bindings& a) {
  const double x = Number(python, a["x"]), y = Number(python, a["y"]);
  return Checked(kFunction(x, y), {x, y});
}

double Degrees(double x) { return x * (180 / std::numbers::pi); }
double Radians(double x) { return x * (std::numbers::pi / 180); }
double Ulp(double x) { return std::nextafter(std::fabs(x), INFINITY) - std::fabs(x); }

Value IsFinite(Python& python, const Bindings& a) { return std::isfinite(Number(python, a["x"])); }

Value IsClose(Python& python, const Bindings& a) {
  const double x = Number(python, a["a"]), y = Number(python, a["b"]);
  if (x == y) return true;
  if (std::isinf(x) || std::isinf(y)) return false;
  const double bound = std::max(a.Float("rel_tol") * std::max(std::fabs(x), std::fabs(y)), a.Float("abs_tol"));
  return std::fabs(x - y) <= bound;
}

Value IntegerRoot(Python&, const Bindings& a) {
  const int64_t n = Integer(a["n"]);
  if (n < 0) Fail(ErrorClass::kValueError, "isqrt() of " + std::to_string(n));
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (root > 0 && root > n / root) --root;
  while (root + 1 <= n / (root + 1)) ++root;
  return root;
}

// n * (n - 1) * ... of so many factors; each may be divided by its turn, which is exact.
Value FallingProduct(int64_t n, int64_t factors, bool divides) {
  Dim product = 1;
  for (int64_t i = 0; i < factors; ++i) {
    product *= Dim(n - i);
    if (divides) product = FloorDiv(product, i + 1);
  }
  return product;
}

int64_t NotNegative(const Value& value) {
  const int64_t n = Integer(value);
  if (n < 0) Fail(ErrorClass::kValueError, "a negative number, " + std::to_string(n) + ", where none is defined");
  return n;
}

Value Factorial(Python&, const Bindings& a) { return FallingProduct(NotNegative(a["n"]), Integer(a["n"]), false); }
Value Combinations(Python&, const Bindings& a) {
  const int64_t n = NotNegative(a["n"]), k = NotNegative(a["k"]);
  return k > n ? Value(0) : FallingProduct(n, std::min(k, n - k), true);
}
Value Permutations(Python&, const Bindings& a) {
  const int64_t n = NotNegative(a["n"]), k = a.IsNone("k") ? n : NotNegative(a["k"]);
  return k > n ? Value(0) : FallingProduct(n, k, false);
}

Value LeastMultiple(Python&, const Bindings& a) {
  Dim multiple = 1;
  for (const Value& value : AsItems(a["integers"])) {
    const int64_t n = Integer(value), divisor = std::gcd(n, multiple.Specialize());
    if (n == 0) return Value(0);
    multiple = FloorDiv(multiple, divisor) * Max(Dim(n), -Dim(n));
  }
  return multiple;
}

Value Norm(Python& python, const Bindings& a) {
  double norm = 0;
  for (const Value& value : AsItems(a["coordinates"])) norm = std::hypot(norm, Number(python, value));
  return norm;
}

Value Distance(Python& python, const Bindings& a) {
  const std::vector<Value>&p = AsItems(a["p"]), &q = AsItems(a["q"]);
  if (p.size() != q.size()) Fail(ErrorClass::kValueError, "both points must have the same number of dimensions");
  double norm = 0;
  for (size_t i = 0; i < p.size(); ++i) norm = std::hypot(norm, Number(python, p[i]) - Number(python, q[i]));
  return norm;
}

Value Total(Python& python, const Bindings& a) {
  double total = 0;
  for (const Value& value : AsItems(a["seq"])) total += Number(python, value);
  return total;
}

Value Parts(Python& python, const Bindings& a) {
  double whole = 0;
  const double fraction = std::modf(Number(python, a["x"]), &whole);
  return List{{Value(fraction), Value(whole)}, true};
}

Value Mantissa(Python& python, const Bindings& a) {
  int exponent = 0;
  const double mantissa = std::frexp(Number(python, a["x"]), &exponent);
  return List{{Value(mantissa), Value(exponent)}, true};
}

Value Scaled(Python& python, const Bindings& a) {
  const double x = Number(python, a["x"]);
  const int64_t exponent = std::clamp<int64_t>(Integer(a["i"]), -10'000, 10'000);
  return Checked(std::ldexp(x, static_cast<int>(exponent)), {x});
}

constexpr FunctionRow kRows[] = {
    {"acos(x)", {}, Unary<std::acos>},
    {"acosh(x)", {}, Unary<std::acosh>},
    {"asin(x)", {}, Unary<std::asin>},
    {"asinh(x)", {}, Unary<std::asinh>},
    {"atan(x)", {}, Unary<std::atan>},
    {"atan2(x, y)", {}, OfTwo<std::atan2>},
    {"atanh(x)", {}, Unary<std::atanh>},
    {"cbrt(x)", {}, Unary<std::cbrt>},
    {"comb(n, k)", {}, Combinations},
    {"copysign(x, y)", {}, OfTwo<std::copysign>},
    {"cosh(x)", {}, Unary<std::cosh>},
    {"degrees(x)", {}, Unary<Degrees>},
    {"dist(p, q)", {}, Distance},
    {"erf(x)", {}, Unary<std::erf>},
    {"erfc(x)", {}, Unary<std::erfc>},
    {"exp2(x)", {}, Unary<std::exp2>},
    {"expm1(x)", {}, Unary<std::expm1>},
    {"factorial(n)", {}, Factorial},
    {"fmod(x, y)", {}, OfTwo<std::fmod>},
    {"frexp(x)", {}, Mantissa},
    {"fsum(seq)", {}, Total},
    {"gamma(x)", {}, Unary<std::tgamma>},
    {"hypot(*coordinates)", {}, Norm},
    {"isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)", {}, IsClose},
    {"isfinite(x)", {}, IsFinite},
    {"isqrt(n)", {}, IntegerRoot},
    {"lcm(*integers)", {}, LeastMultiple},
    {"ldexp(x, i)", {}, Scaled},
    {"lgamma(x)", {}, Unary<std::lgamma>},
    {"modf(x)", {}, Parts},
    {"nextafter(x, y)", {}, OfTwo<std::nextafter>},
    {"perm(n, k=None)", {}, Permutations},
    {"radians(x)", {}, Unary<Radians>},
    {"remainder(x, y)", {}, OfTwo<std::remainder>},
    {"sinh(x)", {}, Unary<std::sinh>},
    {"ulp(x)", {}, Unary<Ulp>},
};

}  // namespace

FunctionTable MathFunctions() { return {"math.", kRows}; }

}  // namespace fakeprop
