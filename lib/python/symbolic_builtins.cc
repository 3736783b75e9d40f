// Source: magic methods of SymNode in torch/fx/experimental/sym_node.py, torch/__init__.py sym_* (torch 2.13).
#include "lib/python/symbolic_builtins.h"

#include <algorithm>

#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using Symbols = std::span<const Sym>;

bool AnyFloat(Symbols a) {
  return std::any_of(a.begin(), a.end(), [](Sym s) { return s->type == SymType::kFloat; });
}

Sym AsInt(Sym s) { return s->type == SymType::kBool ? Where(s, s->env->Integer(1), s->env->Integer(0)) : s; }
Sym AsCondition(Sym s) { return s->type == SymType::kBool ? s : Not(Equal(s, s->env->Integer(0))); }

Sym Negative(Sym s) {
  if (s->type != SymType::kFloat) return Scale(AsInt(s), -1);
  return FloatArithmetic(SymOp::kFloatMul, s->env->Constant(SymNumber::Of(-1.0)), s);
}

Sym AddTwo(Symbols a) {
  return AnyFloat(a) ? FloatArithmetic(SymOp::kFloatAdd, a[0], a[1]) : Add(AsInt(a[0]), AsInt(a[1]));
}
Sym SubtractTwo(Symbols a) {
  const Sym negated[] = {a[0], Negative(a[1])};
  return AddTwo(negated);
}
Sym MultiplyTwo(Symbols a) {
  return AnyFloat(a) ? FloatArithmetic(SymOp::kFloatMul, a[0], a[1]) : Multiply(AsInt(a[0]), AsInt(a[1]));
}
Sym TrueDivide(Symbols a) { return FloatArithmetic(SymOp::kFloatDiv, a[0], a[1]); }
Sym FloorDivideTwo(Symbols a) {
  if (!AnyFloat(a)) return FloorDivide(AsInt(a[0]), AsInt(a[1]));
  return ToFloat(RoundWith(SymOp::kFloorToInt, TrueDivide(a)));
}
// x - floor(x / y) * y, of floats too.
Sym ModuloTwo(Symbols a) {
  if (!AnyFloat(a)) return Modulo(AsInt(a[0]), AsInt(a[1]));
  const Sym whole[] = {FloorDivideTwo(a), a[1]};
  const Sym parts[] = {a[0], MultiplyTwo(whole)};
  return SubtractTwo(parts);
}
Sym PowerTwo(Symbols a) {
  const bool is_root = a[1]->IsInteger() && a[1]->integer < 0;
  return AnyFloat(a) || is_root ? FloatArithmetic(SymOp::kFloatPow, a[0], a[1]) : Power(AsInt(a[0]), AsInt(a[1]));
}
Sym NegativeOne(Symbols a) { return Negative(a[0]); }
Sym Positive(Symbols a) { return a[0]->type == SymType::kFloat ? a[0] : AsInt(a[0]); }
Sym IsEqual(Symbols a) { return Equal(a[0], a[1]); }
Sym IsNotEqual(Symbols a) { return Not(Equal(a[0], a[1])); }
Sym IsLess(Symbols a) { return Less(a[0], a[1]); }
Sym IsAtMost(Symbols a) { return AtMost(a[0], a[1]); }
Sym IsGreater(Symbols a) { return Less(a[1], a[0]); }
Sym IsAtLeast(Symbols a) { return AtMost(a[1], a[0]); }
Sym Negation(Symbols a) { return Not(AsCondition(a[0])); }
Sym Both(Symbols a) { return And(AsCondition(a[0]), AsCondition(a[1])); }
Sym Either(Symbols a) { return Or(AsCondition(a[0]), AsCondition(a[1])); }
Sym AsFloat(Symbols a) { return ToFloat(a[0]); }
template <SymOp op>
Sym Round(Symbols a) { return a[0]->type == SymType::kFloat ? RoundWith(op, a[0]) : AsInt(a[0]); }
Sym Choose(Symbols a) { return Where(AsCondition(a[0]), a[1], a[2]); }
Sym Larger(Symbols a) { return Maximum(a[0], a[1]); }
Sym Smaller(Symbols a) { return Minimum(a[0], a[1]); }
Sym SquareRoot(Symbols a) { return ApplyFunction("sqrt", a[0]); }
Sym Sine(Symbols a) { return ApplyFunction("sin", a[0]); }
Sym Cosine(Symbols a) { return ApplyFunction("cos", a[0]); }
Sym Exponential(Symbols a) { return ApplyFunction("exp", a[0]); }
Sym Logarithm(Symbols a) { return ApplyFunction("log", a[0]); }
Sym BinaryLogarithm(Symbols a) { return ApplyFunction("log2", a[0]); }
Sym Absolute(Symbols a) {
  return a[0]->type == SymType::kFloat ? ApplyFunction("Abs", a[0]) : Maximum(AsInt(a[0]), Negative(a[0]));
}

struct Row {
  std::string_view target;
  size_t arity;
  SymbolicFunction function;
};

constexpr Row kRows[] = {
    {"_operator.add", 2, AddTwo}, {"_operator.sub", 2, SubtractTwo}, {"_operator.mul", 2, MultiplyTwo},
    {"_operator.floordiv", 2, FloorDivideTwo}, {"_operator.mod", 2, ModuloTwo}, {"_operator.truediv", 2, TrueDivide},
    {"_operator.pow", 2, PowerTwo}, {"_operator.neg", 1, NegativeOne}, {"_operator.pos", 1, Positive},
    {"_operator.not_", 1, Negation}, {"_operator.eq", 2, IsEqual}, {"_operator.ne", 2, IsNotEqual},
    {"_operator.lt", 2, IsLess}, {"_operator.le", 2, IsAtMost}, {"_operator.gt", 2, IsGreater},
    {"_operator.ge", 2, IsAtLeast}, {"_operator.and_", 2, Both}, {"_operator.or_", 2, Either},
    {"math.ceil", 1, Round<SymOp::kCeilToInt>}, {"math.floor", 1, Round<SymOp::kFloorToInt>},
    {"math.trunc", 1, Round<SymOp::kTruncToInt>}, {"math.sqrt", 1, SquareRoot}, {"math.exp", 1, Exponential},
    {"math.log", 1, Logarithm}, {"math.log2", 1, BinaryLogarithm}, {"math.sin", 1, Sine}, {"math.cos", 1, Cosine},
    {"math.fabs", 1, Absolute}, {"builtins.round", 1, Round<SymOp::kRoundToInt>}, {"round", 1, Round<SymOp::kRoundToInt>},
    {"builtins.abs", 1, Absolute}, {"_operator.abs", 1, Absolute},
    {"torch.sym_float", 1, AsFloat}, {"torch.sym_int", 1, Round<SymOp::kTruncToInt>}, {"torch.sym_ite", 3, Choose},
    {"torch.sym_max", 2, Larger}, {"torch.sym_min", 2, Smaller}, {"torch.sym_not", 1, Negation},
    {"torch._sym_sqrt", 1, SquareRoot}, {"torch.sym_sqrt", 1, SquareRoot}, {"torch._sym_cos", 1, Cosine},
    {"torch._sym_sin", 1, Sine}, {"torch._sym_log2", 1, BinaryLogarithm},
};

const SymNode* ExpressionOf(const Value& value) {
  if (auto s = value.TryGet<Symbolic>()) return s->expression;
  auto d = value.TryGet<Dim>();
  return d && d->IsSymbolic() ? d->Expression() : nullptr;
}

Sym NodeOf(const Value& value, ShapeEnv& env) {
  if (Sym expression = ExpressionOf(value)) return expression;
  if (auto d = value.TryGet<Dim>()) return env.Integer(d->raw());
  if (auto b = value.TryGet<bool>()) return env.Truth(*b);
  auto f = value.TryGet<double>();
  return f ? env.Constant(SymNumber::Of(*f)) : nullptr;
}

}  // namespace

SymbolicFunction FindSymbolicFunction(std::string_view target) {
  for (const Row& row : kRows)
    if (row.target == target) return row.function;
  return nullptr;
}

std::optional<Value> CallSymbolic(SymbolicFunction function, std::span<const Value* const> arguments) {
  ShapeEnv* env = nullptr;
  for (const Value* value : arguments)
    if (Sym expression = ExpressionOf(*value)) env = expression->env;
  if (!env || !function) return std::nullopt;
  size_t arity = 0;
  for (const Row& row : kRows)
    if (row.function == function) arity = row.arity;
  if (arguments.size() != arity) return std::nullopt;
  std::vector<Sym> nodes;
  for (const Value* value : arguments) {
    nodes.push_back(NodeOf(*value, *env));
    if (!nodes.back()) return std::nullopt;
  }
  return Value::Of(function(nodes));
}

}  // namespace fakeprop
