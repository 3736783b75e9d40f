#include "lib/meta/dim.h"

#include "lib/error/error.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

[[noreturn]] void FailOverflow(const char* op, Dim a, Dim b) {
  Fail(ErrorClass::kOverflow, a.ToString() + " " + op + " " + b.ToString() + " is beyond 64 bits");
}

int64_t FloorDivInt(int64_t a, int64_t b) {
  if (b == 0) Fail(ErrorClass::kValueError, "division of " + std::to_string(a) + " by zero");
  if (b == -1 && a == INT64_MIN)
    Fail(ErrorClass::kOverflow, "the quotient of " + std::to_string(a) + " by -1 has no 64 bits");
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

ShapeEnv& EnvOf(Dim a, Dim b) { return *(a.IsSymbolic() ? a : b).Expression()->env; }

Sym NodeOf(Dim d, ShapeEnv& env) { return d.IsSymbolic() ? d.Expression() : env.Integer(d.raw()); }

// A function of expressions, on Dims of which one is symbolic.
template <typename Function>
auto OnNodes(Function function, Dim a, Dim b) {
  ShapeEnv& env = EnvOf(a, b);
  return function(NodeOf(a, env), NodeOf(b, env));
}

Sym NodeOf(Cond c, ShapeEnv& env) { return c.IsSymbolic() ? c.Expression() : env.Truth(Known(c)); }

template <typename Function>
Cond OnConditions(Function function, Cond a, Cond b) {
  ShapeEnv& env = *(a.IsSymbolic() ? a : b).Expression()->env;
  return Cond::Of(function(NodeOf(a, env), NodeOf(b, env)));
}

}  // namespace

Dim Dim::Of(const SymNode* expression) {
  if (expression->IsInteger()) return expression->integer;
  FAKEPROP_CHECK(expression->type == SymType::kInt);
  const auto address = reinterpret_cast<uintptr_t>(expression);
  FAKEPROP_CHECK(address >> 48 == 0);
  Dim d;
  d.bits_ = static_cast<int64_t>(address | kTag << 48);
  return d;
}

std::optional<int64_t> Dim::Hint() const {
  if (!IsSymbolic()) return bits_;
  const auto& hint = Expression()->hint;
  return hint ? std::optional(hint->integer) : std::nullopt;
}

void Dim::FailReserved() { Fail(ErrorClass::kOverflow, "a size near -2**63 is beyond what sizes can be"); }

Dim Dim::SlowAdd(Dim a, Dim b) {
  if (Plain(a, b)) FailOverflow("+", a, b);
  return Of(OnNodes(Add, a, b));
}

Dim Dim::SlowSubtract(Dim a, Dim b) {
  if (Plain(a, b)) FailOverflow("-", a, b);
  return Of(OnNodes(Subtract, a, b));
}

Dim Dim::SlowMultiply(Dim a, Dim b) {
  if (Plain(a, b)) FailOverflow("*", a, b);
  return Of(OnNodes(Multiply, a, b));
}

int64_t Dim::SpecializeSymbol() const { return Expression()->env->Specialize(Expression()).integer; }
std::string Dim::SymbolText() const { return fakeprop::ToString(Expression()); }

Dim FloorDiv(Dim a, Dim b) {
  if (Dim::Plain(a, b)) return FloorDivInt(a.raw(), b.raw());
  return Dim::Of(OnNodes(FloorDivide, a, b));
}

Dim CeilDiv(Dim a, Dim b) { return -FloorDiv(-a, b); }

Dim Mod(Dim a, Dim b) {
  if (!Dim::Plain(a, b)) return Dim::Of(OnNodes(Modulo, a, b));
  return b.raw() == -1 ? Dim(0) : a - FloorDiv(a, b) * b;
}

// Where one is known to be the greater it alone remains.
Dim Max(Dim a, Dim b) {
  if (Dim::Plain(a, b)) return std::max(a.raw(), b.raw());
  if (Known(Ge(a, b))) return a;
  return Known(Le(a, b)) ? b : Dim::Of(OnNodes(Maximum, a, b));
}

Dim Min(Dim a, Dim b) {
  if (Dim::Plain(a, b)) return std::min(a.raw(), b.raw());
  if (Known(Le(a, b))) return a;
  return Known(Ge(a, b)) ? b : Dim::Of(OnNodes(Minimum, a, b));
}

Cond SlowEq(Dim a, Dim b) { return Cond::Of(OnNodes(Equal, a, b)); }
// No size is beyond 64 bits: the ends of int64 bound everything, as in x[i:].
Cond SlowLt(Dim a, Dim b) {
  if (a.raw() == INT64_MAX || b.raw() == INT64_MIN) return Cond(false);
  return Cond::Of(OnNodes(Less, a, b));
}
Cond SlowLe(Dim a, Dim b) {
  if (a.raw() == INT64_MIN || b.raw() == INT64_MAX) return Cond(true);
  return Cond::Of(OnNodes(AtMost, a, b));
}

Cond Cond::Of(const SymNode* expression) {
  if (expression->op == SymOp::kTruth) return Cond(expression->integer != 0);
  Cond c(false);
  c.bits_ = reinterpret_cast<uintptr_t>(expression);
  return c;
}

Cond Cond::Not(Cond a) { return Of(fakeprop::Not(a.Expression())); }
Cond Cond::SlowAnd(Cond a, Cond b) {
  return OnConditions([](Sym x, Sym y) { return fakeprop::And(x, y); }, a, b);
}
Cond Cond::SlowOr(Cond a, Cond b) {
  return OnConditions([](Sym x, Sym y) { return fakeprop::Or(x, y); }, a, b);
}

bool Cond::AskKnown() const { return Expression()->env->Static(Expression()).value_or(false); }
bool Cond::AskGuard() const { return Expression()->env->Guard(Expression()); }
bool Cond::AskGuardOr(bool otherwise) const { return Expression()->env->GuardOr(Expression(), otherwise); }
bool Cond::AskExpect() const { return Expression()->env->Expect(Expression()); }

std::string ToString(DimSpan dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ", ";
    out += dims[i].ToString();
  }
  return out + "]";
}

namespace {

template <typename Ask>
bool AllEqual(DimSpan a, DimSpan b, Ask ask) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!ask(Eq(a[i], b[i]))) return false;
  return true;
}

}  // namespace

bool GuardSame(DimSpan a, DimSpan b) {
  return AllEqual(a, b, [](Cond c) { return Guard(c); });
}
bool GuardSameOrFalse(DimSpan a, DimSpan b) {
  return AllEqual(a, b, [](Cond c) { return GuardOrFalse(c); });
}
bool ExpectSame(DimSpan a, DimSpan b) {
  return AllEqual(a, b, [](Cond c) { return Expect(c); });
}

}  // namespace fakeprop
