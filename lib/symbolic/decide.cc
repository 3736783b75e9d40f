// Answers by ranges and facts. Source: ShapeEnv._maybe_evaluate_static in torch/fx/experimental/symbolic_shapes.py
// (torch 2.13).
#include "lib/error/error.h"
#include "lib/symbolic/bounds.h"
#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/facts.h"
#include "lib/symbolic/real_range.h"
#include "lib/symbolic/rebuild.h"

namespace fakeprop {
namespace {

// The minimum or maximum. Leaves out arguments if another one is known to be at least as extreme.
Sym Extreme(KnownRanges& ranges, bool least, const std::vector<Sym>& arguments) {
  Sym out = arguments[0];
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Range lead = ranges.RangeOf(least ? Subtract(arguments[i], out) : Subtract(out, arguments[i]));
    if (lead.low >= 0) continue;
    out = lead.high <= 0 ? arguments[i] : least ? Minimum(out, arguments[i]) : Maximum(out, arguments[i]);
  }
  return out;
}

// Rewrites remainders by floor division, and minima and maxima to one argument if ranges decide.
Sym Expand(KnownRanges& ranges, Sym node) {
  if (node->arguments.empty() || node->type != SymType::kInt) return node;
  if (const Range range = ranges.RangeOf(node); range.IsPoint()) return node->arena->Integer(range.low);
  std::vector<Sym> a;
  for (Sym argument : node->arguments) a.push_back(Expand(ranges, argument));
  if (node->op == SymOp::kMod) return Subtract(a[0], Multiply(a[1], FloorDivide(a[0], a[1])));
  if (node->op == SymOp::kMin || node->op == SymOp::kMax) return Extreme(ranges, node->op == SymOp::kMin, a);
  return a == node->arguments ? node : Rebuild(node, a);
}

}  // namespace

std::optional<bool> Facts::Decide(Sym condition) {
  switch (condition->op) {
    case SymOp::kTruth: return condition->integer != 0;
    case SymOp::kEqualZero:
    case SymOp::kAtMostZero: return DecideZero(condition);
    case SymOp::kFloatEqual:
    case SymOp::kFloatLess:
    case SymOp::kFloatAtMost: return DecideFloat(condition);
    case SymOp::kNot: {
      auto truth = Decide(condition->arguments[0]);
      return truth ? std::optional(!*truth) : std::nullopt;
    }
    case SymOp::kAnd:
    case SymOp::kOr: {
      const bool absorbing = condition->op == SymOp::kOr;
      bool all = true;
      for (Sym part : condition->arguments) {
        auto truth = Decide(part);
        if (truth == absorbing) return absorbing;
        all &= truth.has_value();
      }
      if (all) return !absorbing;
      break;
    }
    default: break;
  }
  return FindCondition(condition);
}

std::optional<bool> Facts::DecideFloat(Sym condition) {
  const RealRange a = RealRangeOf(ranges_, condition->arguments[0]), b = RealRangeOf(ranges_, condition->arguments[1]);
  if (condition->op != SymOp::kFloatEqual && a.high < b.low) return true;
  if (condition->op == SymOp::kFloatLess && a.low >= b.high) return false;
  if (condition->op == SymOp::kFloatAtMost && a.high <= b.low) return true;
  if (condition->op == SymOp::kFloatAtMost && a.low > b.high) return false;
  if (condition->op == SymOp::kFloatEqual && (a.high < b.low || a.low > b.high)) return false;
  return FindCondition(condition);
}

// Finds out if the condition itself, or its opposite, is known to hold.
std::optional<bool> Facts::FindCondition(Sym condition) const {
  if (conditions_.Holds(condition)) return true;
  if (conditions_.Holds(Not(condition))) return false;
  return std::nullopt;
}

// node == 0, or node <= 0.
std::optional<bool> Facts::DecideZero(Sym condition) {
  const bool equal = condition->op == SymOp::kEqualZero;
  Sym node = condition->arguments[0];
  const Range range = ranges_.RangeOf(node);
  if (equal && !range.Has(0)) return false;
  if (equal ? range.IsPoint() : range.high <= 0) return true;
  if (!equal && range.low > 0) return false;
  if (Sym reduced = CancelFactors(ranges_, condition); reduced != condition) return Decide(reduced);
  if (!conditions_.IsEmpty()) {
    Sym zero = equal ? condition : Equal(node, arena_.Integer(0));
    if (conditions_.Holds(zero)) return true;
    // A value that is at least 0 and not 0 is positive.
    if (conditions_.Holds(Not(zero)) && (equal || range.low == 0)) return false;
  }
  try {
    if (Sym expanded = Expand(ranges_, node); expanded != node)
      return Decide(equal ? Equal(expanded, arena_.Integer(0)) : AtMost(expanded, arena_.Integer(0)));
  } catch (const OpError&) {  // beyond 64 bits, or too large
  }
  return std::nullopt;
}

}  // namespace fakeprop
