// Floor division and modulo. Source: FloorDiv, Mod, PythonMod in torch/utils/_sympy/functions.py (torch 2.13).
#include <numeric>

#include "lib/error/error.h"
#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/polynomial.h"

namespace fakeprop {
namespace {

// Long division gives up after this many steps.
constexpr int kMaxSteps = 64;

Sym MakeBinary(SymOp op, Sym a, Sym b) {
  SymNode node;
  node.op = op;
  node.arguments = {a, b};
  return a->arena->Intern(std::move(node));
}

void RequireNonZero(Sym a, Sym b) {
  if (b->IsInteger(0)) Fail(ErrorClass::kValueError, "division of " + ToString(a) + " by zero");
}

int64_t DegreeOf(Sym monomial) {
  int64_t degree = 0;
  for (const auto& [factor, exponent] : FactorsOf(monomial)) degree += exponent;
  return degree;
}

// An order that multiplication keeps: total degree, then the exponent of the factor with the smallest id.
bool IsGreater(Sym a, Sym b) {
  const int64_t da = DegreeOf(a), db = DegreeOf(b);
  if (da != db) return da > db;
  const Factors x = FactorsOf(a), y = FactorsOf(b);
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (x[i].first != y[i].first) return x[i].first->id < y[i].first->id;
    if (x[i].second != y[i].second) return x[i].second > y[i].second;
  }
  return x.size() > y.size();
}

Polynomial::Term LeadingTerm(const Polynomial& p) {
  Polynomial::Term lead = p.terms[0];
  for (const auto& term : p.terms)
    if (IsGreater(term.first, lead.first)) lead = term;
  return lead;
}

// A dividend, split term by term: the quotient of the terms that the divisor divides, and the rest.
struct Split {
  Sym quotient;
  Sym rest;
};

Split SplitByConstant(Sym a, int64_t by) {
  Polynomial quotient, rest;
  const Polynomial p = PolynomialOf(a);
  for (const auto& [monomial, coefficient] : p.terms)
    (coefficient % by == 0 ? quotient : rest)
        .terms.emplace_back(monomial, coefficient % by == 0 ? coefficient / by : coefficient);
  quotient.constant = FloorQuotient(p.constant, by);
  rest.constant = p.constant - quotient.constant * by;
  return {NodeOf(*a->arena, std::move(quotient)), NodeOf(*a->arena, std::move(rest))};
}

Split SplitByMonomial(Sym a, Sym monomial, int64_t coefficient) {
  ExpressionArena& arena = *a->arena;
  Sym quotient = arena.Integer(0), rest = arena.Integer(0);
  const Polynomial p = PolynomialOf(a);
  rest = arena.Integer(p.constant);
  for (const auto& [term, by] : p.terms) {
    Sym divided = by % coefficient == 0 ? TryDivideMonomial(term, monomial) : nullptr;
    if (divided) quotient = Add(quotient, Scale(divided, by / coefficient));
    else rest = Add(rest, Scale(term, by));
  }
  return {quotient, rest};
}

// a = quotient * b + rest, as far as long division finds it.
Split SplitBy(Sym a, Sym b) {
  if (b->IsInteger() && b->integer != -1) return SplitByConstant(a, b->integer);
  if (Sym exact = TryDivideExactly(a, b)) return {exact, a->arena->Integer(0)};
  const Polynomial divisor = PolynomialOf(b);
  if (divisor.terms.size() == 1 && divisor.constant == 0 && divisor.terms[0].second != -1)
    return SplitByMonomial(a, divisor.terms[0].first, divisor.terms[0].second);
  return {a->arena->Integer(0), a};
}

// The common divisor of the numbers on both sides. If only the floor counts, it need not divide the dividend's
// constant.
int64_t CommonContent(Sym a, Sym b, bool with_constant) {
  const Polynomial x = PolynomialOf(a), y = PolynomialOf(b);
  int64_t content = std::gcd(ContentOf(x), std::gcd(ContentOf(y), y.constant));
  return with_constant ? std::gcd(content, x.constant) : content;
}

Sym DivideNumbers(Sym a, int64_t by) {
  Polynomial p = PolynomialOf(a);
  p.constant = FloorQuotient(p.constant, by);
  for (auto& [monomial, coefficient] : p.terms) coefficient /= by;
  return NodeOf(*a->arena, std::move(p));
}

bool IsPositiveNumber(Sym a) { return a->IsInteger() && a->integer > 0; }

// (x // a + c) // b is (x + a*c) // (a*b) for positive a and b.
Sym TryMergeDivisions(Sym dividend, Sym by) {
  const Polynomial p = PolynomialOf(dividend);
  if (!IsPositiveNumber(by) || p.terms.size() != 1 || p.terms[0].second != 1) return nullptr;
  Sym inner = p.terms[0].first;
  if (inner->op != SymOp::kFloorDiv || !IsPositiveNumber(inner->arguments[1])) return nullptr;
  const int64_t divisor = inner->arguments[1]->integer;
  Sym merged = Add(inner->arguments[0], by->arena->Integer(CheckedMultiply(divisor, p.constant)));
  return FloorDivide(merged, Scale(by, divisor));
}

}  // namespace

Sym TryDivideExactly(Sym a, Sym b) {
  if (b->IsInteger(0)) return nullptr;
  if (a == b) return a->arena->Integer(1);
  const Polynomial divisor = PolynomialOf(b);
  Sym quotient = a->arena->Integer(0), rest = a;
  for (int step = 0; step < kMaxSteps; ++step) {
    if (rest->IsInteger(0)) return quotient;
    const Polynomial p = PolynomialOf(rest);
    Sym part = nullptr;
    if (divisor.terms.empty()) {
      if (ContentOf(p) % divisor.constant != 0 || p.constant % divisor.constant != 0) return nullptr;
      return Add(quotient, DivideNumbers(rest, divisor.constant));
    }
    if (p.terms.empty()) return nullptr;
    const auto [monomial, coefficient] = LeadingTerm(p);
    const auto [by, by_coefficient] = LeadingTerm(divisor);
    if (by_coefficient == -1 ? coefficient == INT64_MIN : coefficient % by_coefficient != 0) return nullptr;
    part = TryDivideMonomial(monomial, by);
    if (!part) return nullptr;
    part = Scale(part, coefficient / by_coefficient);
    quotient = Add(quotient, part);
    rest = Subtract(rest, Multiply(part, b));
  }
  return nullptr;
}

Sym FloorDivide(Sym a, Sym b) {
  RequireNonZero(a, b);
  if (b->IsInteger(1)) return a;
  if (b->IsInteger(-1)) return Scale(a, -1);
  if (a->IsInteger() && b->IsInteger()) return a->arena->Integer(FloorQuotient(a->integer, b->integer));
  auto [quotient, rest] = SplitBy(a, b);
  if (rest->IsInteger(0)) return quotient;
  if (rest->IsInteger() && b->IsInteger()) return Add(quotient, FloorDivide(rest, b));
  if (const int64_t content = CommonContent(rest, b, !b->IsInteger()); content > 1) {
    rest = DivideNumbers(rest, content);
    b = DivideNumbers(b, content);
    if (b->IsInteger(1)) return Add(quotient, rest);
  }
  if (Sym merged = TryMergeDivisions(rest, b)) return Add(quotient, merged);
  return Add(quotient, MakeBinary(SymOp::kFloorDiv, rest, b));
}

Sym Modulo(Sym a, Sym b) {
  RequireNonZero(a, b);
  if (b->IsInteger(1) || b->IsInteger(-1)) return a->arena->Integer(0);
  if (a->IsInteger() && b->IsInteger())
    return a->arena->Integer(a->integer - FloorQuotient(a->integer, b->integer) * b->integer);
  Sym rest = SplitBy(a, b).rest;
  if (rest->IsInteger(0) || (rest->IsInteger() && b->IsInteger())) return rest;
  // (x % (a*b)) % b is x % b.
  if (rest->op == SymOp::kMod && b->IsInteger() && rest->arguments[1]->IsInteger() &&
      rest->arguments[1]->integer % b->integer == 0)
    return Modulo(rest->arguments[0], b);
  if (const int64_t content = CommonContent(rest, b, true); content > 1)
    return Scale(Modulo(DivideNumbers(rest, content), DivideNumbers(b, content)), content);
  return MakeBinary(SymOp::kMod, rest, b);
}

}  // namespace fakeprop
