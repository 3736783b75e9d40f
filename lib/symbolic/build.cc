#include "lib/symbolic/build.h"

#include <algorithm>

namespace fakeprop {
namespace {

using Arguments = std::span<const Sym>;

bool AnyFloat(Arguments a) {
  return std::any_of(a.begin(), a.end(), [](Sym s) { return s->type == SymType::kFloat; });
}

Sym AsCondition(Sym s) { return s->type == SymType::kBool ? s : Not(Equal(s, s->env->Integer(0))); }
Sym AsInt(Sym s) { return s->type == SymType::kBool ? Where(s, s->env->Integer(1), s->env->Integer(0)) : s; }

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

Sym PowerOf(Arguments a) {
  const bool is_negative = a[1]->IsInteger() && a[1]->integer < 0;
  return AnyFloat(a) || is_negative ? FloatArithmetic(SymOp::kFloatPow, a[0], a[1]) : Power(a[0], a[1]);
}

// Of floats the quotient rounded down, a float again.
Sym FloorDivideAny(Arguments a) {
  if (!AnyFloat(a)) return FloorDivide(a[0], a[1]);
  return ToFloat(RoundWith(SymOp::kFloorToInt, FloatArithmetic(SymOp::kFloatDiv, a[0], a[1])));
}

Sym CeilDivide(Arguments a) { return Scale(FloorDivide(Scale(a[0], -1), a[1]), -1); }
Sym ModuloOf(Arguments a) { return AnyFloat(a) ? nullptr : Modulo(a[0], a[1]); }
Sym ModularIndexing(Arguments a) { return Modulo(FloorDivide(a[0], a[1]), a[2]); }
Sym TrueDivide(Arguments a) { return FloatArithmetic(SymOp::kFloatDiv, a[0], a[1]); }
Sym AsFloat(Arguments a) { return ToFloat(a[0]); }
template <SymOp op>
Sym Round(Arguments a) { return RoundWith(op, a[0]); }
Sym Same(Arguments a) { return a[0]; }
Sym Choose(Arguments a) { return Where(AsCondition(a[0]), a[1], a[2]); }
Sym IsEqual(Arguments a) { return Equal(a[0], a[1]); }
Sym IsNotEqual(Arguments a) { return Not(Equal(a[0], a[1])); }
Sym IsLess(Arguments a) { return Less(a[0], a[1]); }
Sym IsAtMost(Arguments a) { return AtMost(a[0], a[1]); }
Sym IsGreater(Arguments a) { return Less(a[1], a[0]); }
Sym IsAtLeast(Arguments a) { return AtMost(a[1], a[0]); }
Sym Negation(Arguments a) { return Not(AsCondition(a[0])); }
Sym AbsoluteValue(Arguments a) {
  return AnyFloat(a) ? ApplyFunction("Abs", a[0]) : Maximum(a[0], Scale(a[0], -1));
}

struct Function {
  std::string_view name;
  size_t arity;  // 0: any number from one on
  Sym (*build)(Arguments);
};

constexpr Function kFunctions[] = {
    {"Add", 0, Fold<Add, SymOp::kFloatAdd>}, {"Mul", 0, Fold<Multiply, SymOp::kFloatMul>},
    {"Max", 0, FoldSame<Maximum>}, {"Min", 0, FoldSame<Minimum>},
    {"Pow", 2, PowerOf}, {"PowByNatural", 2, PowerOf}, {"FloatPow", 2, PowerOf},
    {"FloorDiv", 2, FloorDivideAny}, {"CleanDiv", 2, FloorDivideAny}, {"CeilDiv", 2, CeilDivide},
    {"Mod", 2, ModuloOf}, {"PythonMod", 2, ModuloOf}, {"ModularIndexing", 3, ModularIndexing},
    {"Rational", 2, TrueDivide}, {"IntTrueDiv", 2, TrueDivide}, {"FloatTrueDiv", 2, TrueDivide},
    {"ToFloat", 1, AsFloat}, {"TruncToInt", 1, Round<SymOp::kTruncToInt>},
    {"FloorToInt", 1, Round<SymOp::kFloorToInt>}, {"floor", 1, Round<SymOp::kFloorToInt>},
    {"CeilToInt", 1, Round<SymOp::kCeilToInt>}, {"ceiling", 1, Round<SymOp::kCeilToInt>},
    {"RoundToInt", 1, Round<SymOp::kRoundToInt>}, {"Identity", 1, Same}, {"Where", 3, Choose}, {"Abs", 1, AbsoluteValue},
    {"Equality", 2, IsEqual}, {"Unequality", 2, IsNotEqual}, {"StrictLessThan", 2, IsLess}, {"LessThan", 2, IsAtMost},
    {"StrictGreaterThan", 2, IsGreater}, {"GreaterThan", 2, IsAtLeast},
    {"Eq", 2, IsEqual}, {"Ne", 2, IsNotEqual}, {"Lt", 2, IsLess}, {"Le", 2, IsAtMost}, {"Gt", 2, IsGreater},
    {"Ge", 2, IsAtLeast}, {"And", 0, FoldConditions<And>}, {"Or", 0, FoldConditions<Or>}, {"Not", 1, Negation},
};

Sym Call(std::string_view name, Arguments arguments) {
  for (const Function& f : kFunctions)
    if (f.name == name && (f.arity == 0 ? !arguments.empty() : f.arity == arguments.size())) return f.build(arguments);
  constexpr std::string_view kOpaque = "OpaqueUnaryFn_";
  if (name.starts_with(kOpaque)) name.remove_prefix(kOpaque.size());
  if (arguments.size() != 1 || !ApplyRealFunction(std::string(name), 1.0)) return nullptr;
  return ApplyFunction(std::string(name), arguments[0]);
}

}  // namespace

Sym Build(const Expression& expression, ShapeEnv& env, const Renamed& renamed) {
  if (expression.kind == Expression::Kind::kNumber)
    return env.Constant(expression.number.is_integer ? SymNumber::Of(expression.number.integer)
                                                     : SymNumber::Of(expression.number.real));
  if (expression.IsSymbol()) {
    auto it = renamed.find(expression.name);
    return it == renamed.end() ? env.FindSymbol(expression.name) : it->second;
  }
  std::vector<Sym> arguments;
  for (const Expression& argument : expression.arguments) {
    Sym built = Build(argument, env, renamed);
    if (!built) return nullptr;
    arguments.push_back(built);
  }
  return Call(expression.name, arguments);
}

Sym ParseSym(std::string_view text, ShapeEnv& env) {
  std::optional<Expression> expression = ParseExpression(text);
  return expression ? Build(*expression, env) : nullptr;
}

}  // namespace fakeprop
