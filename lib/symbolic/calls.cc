#include "lib/symbolic/calls.h"

#include <algorithm>

#include "lib/symbolic/expression_arena.h"

namespace fakeprop::calls {
namespace {

template <Sym (*OnInts)(Sym, Sym), SymOp OnFloats>
Sym Fold(Arguments a) {
  const bool is_float = AnyFloat(a);
  Sym out = AsInt(a[0]);
  for (Sym next : a.subspan(1)) out = is_float ? FloatArithmetic(OnFloats, out, next) : OnInts(out, AsInt(next));
  return out;
}

template <Sym (*Combine)(Sym, Sym)>
Sym FoldSame(Arguments a) {
  Sym out = a[0];
  for (Sym next : a.subspan(1)) out = Combine(out, next);
  return out;
}

template <Sym (*Combine)(Sym, Sym)>
Sym FoldConditions(Arguments a) {
  Sym out = AsCondition(a[0]);
  for (Sym next : a.subspan(1)) out = Combine(out, AsCondition(next));
  return out;
}

}  // namespace

bool AnyFloat(Arguments a) {
  return std::any_of(a.begin(), a.end(), [](Sym s) { return s->type == SymType::kFloat; });
}
Sym AsInt(Sym s) { return s->type == SymType::kBool ? Where(s, s->arena->Integer(1), s->arena->Integer(0)) : s; }
Sym AsCondition(Sym s) { return s->type == SymType::kBool ? s : Not(Equal(s, s->arena->Integer(0))); }

Sym Sum(Arguments a) { return Fold<Add, SymOp::kFloatAdd>(a); }
Sym Product(Arguments a) { return Fold<Multiply, SymOp::kFloatMul>(a); }
Sym Largest(Arguments a) { return FoldSame<Maximum>(a); }
Sym Smallest(Arguments a) { return FoldSame<Minimum>(a); }
Sym All(Arguments a) { return FoldConditions<And>(a); }
Sym Any(Arguments a) { return FoldConditions<Or>(a); }

Sym Difference(Arguments a) {
  const Sym parts[] = {a[0], Negative(a.subspan(1))};
  return Sum(parts);
}
Sym Quotient(Arguments a) { return FloatArithmetic(SymOp::kFloatDiv, a[0], a[1]); }
Sym FloorQuotient(Arguments a) {
  if (!AnyFloat(a)) return FloorDivide(AsInt(a[0]), AsInt(a[1]));
  return ToFloat(RoundWith(SymOp::kFloorToInt, Quotient(a)));
}
Sym Remainder(Arguments a) {
  if (!AnyFloat(a)) return Modulo(AsInt(a[0]), AsInt(a[1]));
  const Sym whole[] = {FloorQuotient(a), a[1]};
  const Sym parts[] = {a[0], Product(whole)};
  return Difference(parts);
}
Sym PowerOf(Arguments a) {
  const bool is_root = a[1]->IsInteger() && a[1]->integer < 0;
  return AnyFloat(a) || is_root ? FloatArithmetic(SymOp::kFloatPow, a[0], a[1]) : Power(AsInt(a[0]), AsInt(a[1]));
}
Sym IsEqual(Arguments a) { return Equal(a[0], a[1]); }
Sym IsNotEqual(Arguments a) { return Not(Equal(a[0], a[1])); }
Sym IsLess(Arguments a) { return Less(a[0], a[1]); }
Sym IsAtMost(Arguments a) { return AtMost(a[0], a[1]); }
Sym IsGreater(Arguments a) { return Less(a[1], a[0]); }
Sym IsAtLeast(Arguments a) { return AtMost(a[1], a[0]); }

Sym Same(Arguments a) { return a[0]->type == SymType::kFloat ? a[0] : AsInt(a[0]); }
Sym Negative(Arguments a) {
  if (a[0]->type != SymType::kFloat) return Scale(AsInt(a[0]), -1);
  return FloatArithmetic(SymOp::kFloatMul, a[0]->arena->Constant(SymNumber::Of(-1.0)), a[0]);
}
Sym Absolute(Arguments a) {
  return a[0]->type == SymType::kFloat ? ApplyFunction("Abs", a[0]) : Maximum(AsInt(a[0]), Negative(a));
}
Sym Negation(Arguments a) { return Not(AsCondition(a[0])); }
Sym AsFloat(Arguments a) { return ToFloat(a[0]); }

Sym Choose(Arguments a) { return Where(AsCondition(a[0]), a[1], a[2]); }

}  // namespace fakeprop::calls
