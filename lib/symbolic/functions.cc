// Minima, maxima, powers, choices and floats. Source: torch/utils/_sympy/functions.py (torch 2.13).
#include <algorithm>

#include "lib/error/error.h"
#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/polynomial.h"

namespace fakeprop {
namespace {

// A constant power is multiplied out up to this exponent.
constexpr int64_t kMaxExponent = 64;

Sym Make(SymOp op, SymType type, std::vector<Sym> arguments, std::string name = {}) {
  ExpressionArena& arena = *arguments[0]->arena;
  SymNode node;
  node.op = op;
  node.type = type;
  node.arguments = std::move(arguments);
  node.name = std::move(name);
  const bool is_constant =
      std::all_of(node.arguments.begin(), node.arguments.end(), [](Sym a) { return a->IsConstant(); });
  if (is_constant) {
    std::vector<SymNumber> values;
    for (Sym a : node.arguments) values.push_back(*a->hint);
    if (auto value = ApplyOperation(node, values)) return arena.Constant(*value);
  }
  return arena.Intern(std::move(node));
}

void Flatten(SymOp op, Sym a, std::vector<Sym>& items) {
  if (a->op != op) return items.push_back(a);
  items.insert(items.end(), a->arguments.begin(), a->arguments.end());
}

// Of items that differ by a number only the greatest (least) counts.
Sym Extremum(SymOp op, Sym a, Sym b) {
  std::vector<Sym> items, kept;
  Flatten(op, a, items);
  Flatten(op, b, items);
  for (Sym item : items) {
    bool is_new = true;
    for (Sym& other : kept) {
      Sym difference = item->type == SymType::kInt && other->type == SymType::kInt ? Subtract(item, other) : nullptr;
      if (item != other && !(difference && difference->IsInteger())) continue;
      is_new = false;
      if (difference && (op == SymOp::kMax ? difference->integer > 0 : difference->integer < 0)) other = item;
    }
    if (is_new) kept.push_back(item);
  }
  if (kept.size() == 1) return kept[0];
  std::sort(kept.begin(), kept.end(), [](Sym x, Sym y) { return x->id < y->id; });
  const SymType type = kept[0]->type;
  return Make(op, type, std::move(kept));
}

// Both integers, or both floats.
void Unify(Sym& a, Sym& b) {
  if (a->type == SymType::kFloat || b->type == SymType::kFloat) a = ToFloat(a), b = ToFloat(b);
}

}  // namespace

Sym Minimum(Sym a, Sym b) {
  Unify(a, b);
  return Extremum(SymOp::kMin, a, b);
}

Sym Maximum(Sym a, Sym b) {
  Unify(a, b);
  return Extremum(SymOp::kMax, a, b);
}

Sym Power(Sym base, Sym exponent) {
  if (exponent->IsInteger() && exponent->integer >= 0 && (exponent->integer <= kMaxExponent || base->IsInteger())) {
    if (base->IsInteger()) return Make(SymOp::kPow, SymType::kInt, {base, exponent});
    Sym power = base->arena->Integer(1);
    for (int64_t i = 0; i < exponent->integer; ++i) power = Multiply(power, base);
    return power;
  }
  return Make(SymOp::kPow, SymType::kInt, {base, exponent});
}

Sym ToFloat(Sym a) {
  if (a->type == SymType::kFloat) return a;
  if (a->IsConstant()) return a->arena->Constant(SymNumber::Of(static_cast<double>(a->integer)));
  if (a->type == SymType::kBool) return ToFloat(Where(a, a->arena->Integer(1), a->arena->Integer(0)));
  return Make(SymOp::kToFloat, SymType::kFloat, {a});
}

Sym FloatArithmetic(SymOp op, Sym a, Sym b) {
  // Integers are divided as such: the quotient of large ones is rounded once.
  if (op != SymOp::kFloatDiv || a->type == SymType::kFloat || b->type == SymType::kFloat)
    a = ToFloat(a), b = ToFloat(b);
  if (op == SymOp::kFloatDiv && (b->IsInteger(0) || (b->op == SymOp::kReal && b->real == 0)))
    Fail(ErrorClass::kValueError, "division of " + ToString(a) + " by zero");
  const bool commutes = op == SymOp::kFloatAdd || op == SymOp::kFloatMul;
  if (commutes && a->id > b->id) std::swap(a, b);
  return Make(op, SymType::kFloat, {a, b});
}

Sym RoundWith(SymOp op, Sym a) {
  if (a->type == SymType::kInt) return a;
  if (a->op == SymOp::kToFloat) return a->arguments[0];
  return Make(op, SymType::kInt, {a});
}

Sym ApplyFunction(const std::string& name, Sym a) {
  return Make(SymOp::kFunction, SymType::kFloat, {ToFloat(a)}, name);
}

Sym Where(Sym condition, Sym a, Sym b) {
  if (condition->op == SymOp::kTruth) return condition->integer ? a : b;
  if (a->type == SymType::kBool && b->type == SymType::kBool) return Or(And(condition, a), And(Not(condition), b));
  Unify(a, b);
  if (a == b) return a;
  return Make(SymOp::kWhere, a->type, {condition, a, b});
}

}  // namespace fakeprop
