// Source: magic methods of SymNode in torch/fx/experimental/sym_node.py, torch/__init__.py sym_* (torch 2.13).
#include "lib/python/symbolic_builtins.h"

#include "lib/rules/support/symbolic_number.h"
#include "lib/symbolic/calls.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using namespace calls;

Sym SquareRoot(Arguments a) { return ApplyFunction("sqrt", a[0]); }
Sym Sine(Arguments a) { return ApplyFunction("sin", a[0]); }
Sym Cosine(Arguments a) { return ApplyFunction("cos", a[0]); }
Sym Exponential(Arguments a) { return ApplyFunction("exp", a[0]); }
Sym Logarithm(Arguments a) { return ApplyFunction("log", a[0]); }
Sym BinaryLogarithm(Arguments a) { return ApplyFunction("log2", a[0]); }

struct Row {
  std::string_view target;
  size_t arity;
  SymbolicFunction function;
};

constexpr Row kRows[] = {
    {"_operator.add", 2, Sum},
    {"_operator.sub", 2, Difference},
    {"_operator.mul", 2, Product},
    {"_operator.floordiv", 2, FloorQuotient},
    {"_operator.mod", 2, Remainder},
    {"_operator.truediv", 2, Quotient},
    {"_operator.pow", 2, PowerOf},
    {"_operator.neg", 1, Negative},
    {"_operator.pos", 1, Same},
    {"_operator.not_", 1, Negation},
    {"_operator.eq", 2, IsEqual},
    {"_operator.ne", 2, IsNotEqual},
    {"_operator.lt", 2, IsLess},
    {"_operator.le", 2, IsAtMost},
    {"_operator.gt", 2, IsGreater},
    {"_operator.ge", 2, IsAtLeast},
    {"_operator.and_", 2, All},
    {"_operator.or_", 2, Any},
    {"math.ceil", 1, Round<SymOp::kCeilToInt>},
    {"math.floor", 1, Round<SymOp::kFloorToInt>},
    {"math.trunc", 1, Round<SymOp::kTruncToInt>},
    {"math.sqrt", 1, SquareRoot},
    {"math.exp", 1, Exponential},
    {"math.log", 1, Logarithm},
    {"math.log2", 1, BinaryLogarithm},
    {"math.sin", 1, Sine},
    {"math.cos", 1, Cosine},
    {"math.fabs", 1, Absolute},
    {"builtins.round", 1, Round<SymOp::kRoundToInt>},
    {"round", 1, Round<SymOp::kRoundToInt>},
    {"builtins.abs", 1, Absolute},
    {"_operator.abs", 1, Absolute},
    {"torch.sym_float", 1, AsFloat},
    {"torch.sym_int", 1, Round<SymOp::kTruncToInt>},
    {"torch.sym_ite", 3, Choose},
    {"torch.sym_max", 2, Largest},
    {"torch.sym_min", 2, Smallest},
    {"torch.sym_not", 1, Negation},
    {"torch._sym_sqrt", 1, SquareRoot},
    {"torch.sym_sqrt", 1, SquareRoot},
    {"torch._sym_cos", 1, Cosine},
    {"torch._sym_sin", 1, Sine},
    {"torch._sym_log2", 1, BinaryLogarithm},
};

}  // namespace

SymbolicFunction FindSymbolicFunction(std::string_view target) {
  for (const Row& row : kRows)
    if (row.target == target) return row.function;
  return nullptr;
}

std::optional<Value> CallSymbolic(SymbolicFunction function, std::span<const Value* const> arguments) {
  ShapeEnv* env = nullptr;
  for (const Value* value : arguments)
    if (Sym expression = rules::ExpressionOf(*value)) env = expression->env;
  if (!env || !function) return std::nullopt;
  size_t arity = 0;
  for (const Row& row : kRows)
    if (row.function == function) arity = row.arity;
  if (arguments.size() != arity) return std::nullopt;
  std::vector<Sym> nodes;
  for (const Value* value : arguments) {
    nodes.push_back(rules::NodeOf(*value, *env));
    if (!nodes.back()) return std::nullopt;
  }
  return Value::Of(function(nodes));
}

}  // namespace fakeprop
