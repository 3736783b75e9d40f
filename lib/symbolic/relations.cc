// Comparisons and logic. A comparison of integers becomes p == 0 or p <= 0, with the smallest possible numbers in p.
#include <algorithm>

#include "lib/symbolic/calls.h"
#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/polynomial.h"

namespace fakeprop {
namespace {

Sym Make(SymOp op, std::vector<Sym> arguments) {
  ExpressionArena& arena = *arguments[0]->arena;
  SymNode node;
  node.op = op;
  node.type = SymType::kBool;
  node.arguments = std::move(arguments);
  return arena.Intern(std::move(node));
}

// p / content. The constant is rounded up if only p <= 0 counts.
Sym Reduce(ExpressionArena& arena, Polynomial p, int64_t content, bool round) {
  for (auto& [monomial, coefficient] : p.terms) coefficient /= content;
  if (round && p.constant != 0) p.constant = -FloorQuotient(CheckedMultiply(p.constant, -1), content);
  else p.constant /= content;
  return NodeOf(arena, std::move(p));
}

Sym EqualToZero(Sym difference) {
  ExpressionArena& arena = *difference->arena;
  if (difference->IsInteger()) return arena.Truth(difference->integer == 0);
  Polynomial p = PolynomialOf(difference);
  int64_t content = ContentOf(p);
  if (p.constant % content != 0) return arena.Truth(false);
  // One of the two signs.
  if (p.terms[0].second < 0) content = -content;
  return Make(SymOp::kEqualZero, {Reduce(arena, std::move(p), content, false)});
}

Sym AtMostZero(Sym difference) {
  ExpressionArena& arena = *difference->arena;
  if (difference->IsInteger()) return arena.Truth(difference->integer <= 0);
  Polynomial p = PolynomialOf(difference);
  const int64_t content = ContentOf(p);
  return Make(SymOp::kAtMostZero, {Reduce(arena, std::move(p), content, true)});
}

Sym CompareFloats(SymOp op, Sym a, Sym b) {
  a = ToFloat(a), b = ToFloat(b);
  if (a->IsConstant() && b->IsConstant()) {
    const bool truth = op == SymOp::kFloatEqual  ? a->real == b->real
                       : op == SymOp::kFloatLess ? a->real < b->real
                                                 : a->real <= b->real;
    return a->arena->Truth(truth);
  }
  return Make(op, {a, b});
}

bool HasFloat(Sym a, Sym b) { return a->type == SymType::kFloat || b->type == SymType::kFloat; }

Sym Combine(SymOp op, Sym a, Sym b) {
  ExpressionArena& arena = *a->arena;
  const bool absorbing = op == SymOp::kOr;
  std::vector<Sym> items;
  for (Sym side : {a, b}) {
    if (side->op == op) items.insert(items.end(), side->arguments.begin(), side->arguments.end());
    else items.push_back(side);
  }
  std::sort(items.begin(), items.end(), [](Sym x, Sym y) { return x->id < y->id; });
  items.erase(std::unique(items.begin(), items.end()), items.end());
  std::vector<Sym> kept;
  for (Sym item : items) {
    if (item->op == SymOp::kTruth && (item->integer != 0) == absorbing) return item;
    if (item->op == SymOp::kTruth) continue;
    if (item->op == SymOp::kNot &&
        std::binary_search(items.begin(), items.end(), item->arguments[0], [](Sym x, Sym y) { return x->id < y->id; }))
      return arena.Truth(absorbing);
    kept.push_back(item);
  }
  if (kept.empty()) return arena.Truth(!absorbing);
  return kept.size() == 1 ? kept[0] : Make(op, std::move(kept));
}

}  // namespace

Sym Equal(Sym a, Sym b) {
  if (a->IsInteger() && b->IsInteger()) return a->arena->Truth(a->integer == b->integer);
  if (HasFloat(a, b)) return CompareFloats(SymOp::kFloatEqual, a, b);
  if (a->type == SymType::kBool && b->type == SymType::kBool) return Or(And(a, b), And(Not(a), Not(b)));
  return EqualToZero(Subtract(calls::AsInt(a), calls::AsInt(b)));
}

Sym Less(Sym a, Sym b) {
  if (a->IsInteger() && b->IsInteger()) return a->arena->Truth(a->integer < b->integer);
  if (HasFloat(a, b)) return CompareFloats(SymOp::kFloatLess, a, b);
  return AtMostZero(Add(Subtract(calls::AsInt(a), calls::AsInt(b)), a->arena->Integer(1)));
}

Sym AtMost(Sym a, Sym b) {
  if (a->IsInteger() && b->IsInteger()) return a->arena->Truth(a->integer <= b->integer);
  if (HasFloat(a, b)) return CompareFloats(SymOp::kFloatAtMost, a, b);
  return AtMostZero(Subtract(calls::AsInt(a), calls::AsInt(b)));
}

Sym Not(Sym a) {
  switch (a->op) {
    case SymOp::kTruth: return a->arena->Truth(!a->integer);
    case SymOp::kNot: return a->arguments[0];
    // !(p <= 0) is 1 - p <= 0.
    case SymOp::kAtMostZero: return AtMostZero(Subtract(a->arena->Integer(1), a->arguments[0]));
    case SymOp::kAnd:
    case SymOp::kOr: {
      Sym out = Not(a->arguments[0]);
      for (size_t i = 1; i < a->arguments.size(); ++i)
        out = a->op == SymOp::kAnd ? Or(out, Not(a->arguments[i])) : And(out, Not(a->arguments[i]));
      return out;
    }
    default: return Make(SymOp::kNot, {a});
  }
}

Sym And(Sym a, Sym b) { return Combine(SymOp::kAnd, a, b); }
Sym Or(Sym a, Sym b) { return Combine(SymOp::kOr, a, b); }

}  // namespace fakeprop
