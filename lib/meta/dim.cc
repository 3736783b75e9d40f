#include "lib/meta/dim.h"

#include "lib/meta/error.h"

namespace fakeprop {
namespace {

[[noreturn]] void FailOverflow(const char* op, Dim a, Dim b) {
  Fail(ErrorClass::kOverflow, a.ToString() + " " + op + " " + b.ToString() + " is beyond 64 bits");
}

int64_t FloorDivInt(int64_t a, int64_t b) {
  if (b == 0) Fail(ErrorClass::kValueError, "division of " + std::to_string(a) + " by zero");
  if (b == -1 && a == INT64_MIN) Fail(ErrorClass::kOverflow, "the quotient of " + std::to_string(a) + " by -1 has no 64 bits");
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

Dim operator+(Dim a, Dim b) {
  int64_t out;
  if (__builtin_add_overflow(a.value_, b.value_, &out)) FailOverflow("+", a, b);
  return out;
}

Dim operator-(Dim a, Dim b) {
  int64_t out;
  if (__builtin_sub_overflow(a.value_, b.value_, &out)) FailOverflow("-", a, b);
  return out;
}

Dim operator*(Dim a, Dim b) {
  int64_t out;
  if (__builtin_mul_overflow(a.value_, b.value_, &out)) FailOverflow("*", a, b);
  return out;
}

Dim FloorDiv(Dim a, Dim b) { return FloorDivInt(*a.TryNumber(), *b.TryNumber()); }
Dim CeilDiv(Dim a, Dim b) { return -FloorDiv(-a, b); }
Dim Mod(Dim a, Dim b) { return Guard(Eq(b, -1)) ? Dim(0) : a - FloorDiv(a, b) * b; }
Dim Max(Dim a, Dim b) { return std::max(*a.TryNumber(), *b.TryNumber()); }
Dim Min(Dim a, Dim b) { return std::min(*a.TryNumber(), *b.TryNumber()); }

std::string ToString(DimSpan dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ", ";
    out += dims[i].ToString();
  }
  return out + "]";
}

bool GuardSame(DimSpan a, DimSpan b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!Guard(Eq(a[i], b[i]))) return false;
  return true;
}

}  // namespace fakeprop
