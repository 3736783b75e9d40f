#include "lib/symbolic/build.h"

#include "lib/symbolic/calls.h"

namespace fakeprop {
namespace {

using namespace calls;

Sym CeilQuotient(Arguments a) { return Scale(FloorDivide(Scale(a[0], -1), a[1]), -1); }
Sym ModularIndexing(Arguments a) { return Modulo(FloorDivide(a[0], a[1]), a[2]); }
Sym Identity(Arguments a) { return a[0]; }

struct Function {
  std::string_view name;
  size_t arity;  // 0: any number from one on
  Sym (*build)(Arguments);
};

constexpr Function kFunctions[] = {
    {"Add", 0, Sum},
    {"Mul", 0, Product},
    {"Max", 0, Largest},
    {"Min", 0, Smallest},
    {"Pow", 2, PowerOf},
    {"PowByNatural", 2, PowerOf},
    {"FloatPow", 2, PowerOf},
    {"FloorDiv", 2, FloorQuotient},
    {"CleanDiv", 2, FloorQuotient},
    {"CeilDiv", 2, CeilQuotient},
    {"Mod", 2, Remainder},
    {"PythonMod", 2, Remainder},
    {"ModularIndexing", 3, ModularIndexing},
    {"Rational", 2, Quotient},
    {"IntTrueDiv", 2, Quotient},
    {"FloatTrueDiv", 2, Quotient},
    {"ToFloat", 1, AsFloat},
    {"TruncToInt", 1, Round<SymOp::kTruncToInt>},
    {"FloorToInt", 1, Round<SymOp::kFloorToInt>},
    {"floor", 1, Round<SymOp::kFloorToInt>},
    {"CeilToInt", 1, Round<SymOp::kCeilToInt>},
    {"ceiling", 1, Round<SymOp::kCeilToInt>},
    {"RoundToInt", 1, Round<SymOp::kRoundToInt>},
    {"Identity", 1, Identity},
    {"Where", 3, Choose},
    {"Abs", 1, Absolute},
    {"Equality", 2, IsEqual},
    {"Unequality", 2, IsNotEqual},
    {"StrictLessThan", 2, IsLess},
    {"LessThan", 2, IsAtMost},
    {"StrictGreaterThan", 2, IsGreater},
    {"GreaterThan", 2, IsAtLeast},
    {"Eq", 2, IsEqual},
    {"Ne", 2, IsNotEqual},
    {"Lt", 2, IsLess},
    {"Le", 2, IsAtMost},
    {"Gt", 2, IsGreater},
    {"Ge", 2, IsAtLeast},
    {"And", 0, All},
    {"Or", 0, Any},
    {"Not", 1, Negation},
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
