#include "lib/symbolic/rebuild.h"

#include "lib/symbolic/expression_arena.h"

namespace fakeprop {

Sym Rebuild(Sym node, const std::vector<Sym>& a) {
  auto fold = [&](Sym (*combine)(Sym, Sym)) {
    Sym out = a[0];
    for (size_t i = 1; i < a.size(); ++i) out = combine(out, a[i]);
    return out;
  };
  switch (node->op) {
    case SymOp::kSum: {
      Sym sum = a[0]->arena->Integer(node->integer);
      for (size_t i = 0; i < a.size(); ++i) sum = Add(sum, Scale(a[i], node->coefficients[i]));
      return sum;
    }
    case SymOp::kProduct: {
      Sym product = a[0]->arena->Integer(1);
      for (size_t i = 0; i < a.size(); ++i)
        product = Multiply(product, Power(a[i], a[i]->arena->Integer(node->coefficients[i])));
      return product;
    }
    case SymOp::kFloorDiv: return FloorDivide(a[0], a[1]);
    case SymOp::kMod: return Modulo(a[0], a[1]);
    case SymOp::kMin: return fold(Minimum);
    case SymOp::kMax: return fold(Maximum);
    case SymOp::kWhere: return Where(a[0], a[1], a[2]);
    case SymOp::kPow: return Power(a[0], a[1]);
    case SymOp::kToFloat: return ToFloat(a[0]);
    case SymOp::kTruncToInt:
    case SymOp::kFloorToInt:
    case SymOp::kCeilToInt:
    case SymOp::kRoundToInt: return RoundWith(node->op, a[0]);
    case SymOp::kFloatAdd:
    case SymOp::kFloatMul:
    case SymOp::kFloatDiv:
    case SymOp::kFloatPow: return FloatArithmetic(node->op, a[0], a[1]);
    case SymOp::kFunction: return ApplyFunction(node->name, a[0]);
    case SymOp::kEqualZero: return Equal(a[0], a[0]->arena->Integer(0));
    case SymOp::kAtMostZero: return AtMost(a[0], a[0]->arena->Integer(0));
    case SymOp::kFloatEqual: return Equal(a[0], a[1]);
    case SymOp::kFloatLess: return Less(a[0], a[1]);
    case SymOp::kFloatAtMost: return AtMost(a[0], a[1]);
    case SymOp::kAnd: return fold(And);
    case SymOp::kOr: return fold(Or);
    case SymOp::kNot: return Not(a[0]);
    default: return node;
  }
}

}  // namespace fakeprop
