#include "lib/prove/smt_text.h"

#include <cmath>
#include <utility>

namespace fakeprop {
namespace {

std::string Integer(int64_t value) {
  if (value >= 0) return std::to_string(value);
  return "(- " + std::to_string(value).substr(1) + ")";
}

const char* TypeName(Sym node) { return node->type == SymType::kBool ? "Bool" : "Int"; }

// A factor with few bits. Its product with a size is exact in a double.
bool IsShort(double value) {
  constexpr double kMost = 1 << 20;
  return std::isfinite(value) && std::abs(value) <= kMost && value * kMost == std::trunc(value * kMost);
}

// An integer, or a float with an integer value.
bool IsWhole(Sym node) {
  if (node->op == SymOp::kReal) return node->real == std::trunc(node->real);
  return node->type == SymType::kInt || node->op == SymOp::kToFloat;
}

// Numerator and denominator of a short number.
std::string ShortReal(double value) {
  constexpr double kScale = 1 << 20;
  return "(/ (to_real " + Integer(static_cast<int64_t>(value * kScale)) + ") " + std::to_string(1 << 20) + ".0)";
}

}  // namespace

// Division and remainder as in Python. SMT-LIB's round differently if the divisor is negative.
SmtText::SmtText()
    : declarations_(
          "(define-fun floordiv ((a Int) (b Int)) Int (ite (> b 0) (div a b) (div (- a) (- b))))\n"
          "(define-fun pymod ((a Int) (b Int)) Int (- a (* b (floordiv a b))))\n") {}

std::string SmtText::TakeDeclarations() { return std::exchange(declarations_, {}); }

std::string SmtText::Define(const char* type, const std::string& body) {
  const std::string name = "t" + std::to_string(next_++);
  declarations_ += "(define-fun " + name + " () " + type + " " + body + ")\n";
  return name;
}

std::string SmtText::Term(Sym node) {
  if (auto it = terms_.find(node); it != terms_.end()) return it->second;
  std::string term;
  if (node->IsInteger()) term = Integer(node->integer);
  else if (node->op == SymOp::kTruth) term = node->integer ? "true" : "false";
  else if (node->op == SymOp::kSymbol || node->type == SymType::kFloat) term = Opaque(node);
  else term = Define(TypeName(node), Body(node));
  return terms_[node] = term;
}

void SmtText::DeclareMultiple(Sym symbol, int64_t multiple) {
  auto [it, is_new] = constants_.emplace(symbol->name, SymbolTerm(symbol->name));
  if (!is_new) return;
  const std::string quotient = "q" + std::to_string(next_++);
  declarations_ += "(declare-const " + quotient + " Int)\n(define-fun " + it->second + " () Int (* " +
                   Integer(multiple) + " " + quotient + "))\n";
}

// Symbols have their own names. All other expressions are found by their spelling, so that equal ones get one constant.
std::string SmtText::Opaque(Sym node) {
  const bool is_symbol = node->op == SymOp::kSymbol;
  auto [it, is_new] = constants_.emplace(ToString(node), "");
  if (!is_new) return it->second;
  it->second = is_symbol ? SymbolTerm(node->name) : "o" + std::to_string(next_++);
  declarations_ +=
      "(declare-const " + it->second + " " + (node->type == SymType::kFloat ? "Real" : TypeName(node)) + ")\n";
  return it->second;
}

std::string SmtText::Body(Sym node) {
  const auto& a = node->arguments;
  switch (node->op) {
    case SymOp::kSum: return Sum(node);
    case SymOp::kProduct: return Product(node);
    case SymOp::kFloorDiv: {
      const char* function = a[1]->IsInteger() && a[1]->integer > 0 ? "div" : "floordiv";
      return Fold(function, node);
    }
    case SymOp::kMod: return Fold(a[1]->IsInteger() && a[1]->integer > 0 ? "mod" : "pymod", node);
    case SymOp::kMin: return Extremum(node, "<=");
    case SymOp::kMax: return Extremum(node, ">=");
    case SymOp::kWhere: return Fold("ite", node);
    case SymOp::kFloorToInt:
    case SymOp::kCeilToInt:
    case SymOp::kTruncToInt: return Rounded(node);
    case SymOp::kEqualZero: return "(= " + Term(a[0]) + " 0)";
    case SymOp::kAtMostZero: return "(<= " + Term(a[0]) + " 0)";
    case SymOp::kFloatEqual: return Compare(node, "=");
    case SymOp::kFloatLess: return Compare(node, "<");
    case SymOp::kFloatAtMost: return Compare(node, "<=");
    case SymOp::kAnd: return Fold("and", node);
    case SymOp::kOr: return Fold("or", node);
    case SymOp::kNot: return Fold("not", node);
    default: return Opaque(node);
  }
}

std::string SmtText::Fold(const char* function, Sym node) {
  std::string text = std::string("(") + function;
  for (Sym argument : node->arguments) text += " " + Term(argument);
  return text + ")";
}

std::string SmtText::Sum(Sym node) {
  std::string text = "(+ " + Integer(node->integer);
  for (size_t i = 0; i < node->arguments.size(); ++i)
    text += " (* " + Integer(node->coefficients[i]) + " " + Term(node->arguments[i]) + ")";
  return text + ")";
}

// Powers that are too large for a solver are opaque.
std::string SmtText::Product(Sym node) {
  constexpr int64_t kMostPower = 8;
  std::string text = "(* 1";
  for (size_t i = 0; i < node->arguments.size(); ++i) {
    if (node->coefficients[i] > kMostPower) return Opaque(node);
    for (int64_t k = 0; k < node->coefficients[i]; ++k) text += " " + Term(node->arguments[i]);
  }
  return text + ")";
}

std::string SmtText::Extremum(Sym node, const char* comparison) {
  std::string best = Term(node->arguments[0]);
  for (size_t i = 1; i < node->arguments.size(); ++i) {
    const std::string next = Term(node->arguments[i]);
    best = Define("Int", std::string("(ite (") + comparison + " " + best + " " + next + ") " + best + " " + next + ")");
  }
  return best;
}

std::string SmtText::Compare(Sym node, const char* comparison) {
  const std::optional<std::string> a = Real(node->arguments[0]), b = Real(node->arguments[1]);
  return a && b ? std::string("(") + comparison + " " + *a + " " + *b + ")" : Opaque(node);
}

std::optional<std::string> SmtText::Real(Sym node) {
  const auto& a = node->arguments;
  if (node->op == SymOp::kReal) return IsShort(node->real) ? std::optional(ShortReal(node->real)) : std::nullopt;
  if (node->type == SymType::kInt) return "(to_real " + Term(node) + ")";
  if (node->op == SymOp::kToFloat) return "(to_real " + Term(a[0]) + ")";
  const bool is_scaled = node->op == SymOp::kFloatMul || node->op == SymOp::kFloatAdd;
  if (!is_scaled) return std::nullopt;
  // An integer and a short number: a single operation does not round.
  for (int i : {0, 1}) {
    if (!IsWhole(a[i]) || a[1 - i]->op != SymOp::kReal || !IsShort(a[1 - i]->real)) continue;
    return std::string(node->op == SymOp::kFloatMul ? "(* " : "(+ ") + *Real(a[i]) + " " + *Real(a[1 - i]) + ")";
  }
  return std::nullopt;
}

// The quotient of two integers below 2**53 rounds to a double on the same side of every integer.
std::string SmtText::Rounded(Sym node) {
  Sym of = node->arguments[0];
  std::optional<std::string> real = Real(of);
  if (!real && of->op == SymOp::kFloatDiv && IsWhole(of->arguments[0]) && IsWhole(of->arguments[1])) {
    const auto above = Real(of->arguments[0]), below = Real(of->arguments[1]);
    if (above && below) real = "(/ " + *above + " " + *below + ")";
  }
  if (!real) return Opaque(node);
  const std::string floor = "(to_int " + *real + ")", ceiling = "(- (to_int (- " + *real + ")))";
  if (node->op == SymOp::kFloorToInt) return floor;
  return node->op == SymOp::kCeilToInt ? ceiling : "(ite (>= " + *real + " 0.0) " + floor + " " + ceiling + ")";
}

}  // namespace fakeprop
