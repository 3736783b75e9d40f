#include "lib/symbolic/polynomial.h"

#include <algorithm>
#include <numeric>

#include "lib/error/error.h"
#include "lib/symbolic/expression_arena.h"

namespace fakeprop {
namespace {

// Products of sums are multiplied out up to this many terms. Above, the sums stay factors.
constexpr size_t kMaxExpandedTerms = 128;

void SortAndMerge(std::vector<Polynomial::Term>& terms) {
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    Polynomial::Term term = terms[i++];
    for (; i < terms.size() && terms[i].first == term.first; ++i)
      term.second = CheckedAdd(term.second, terms[i].second);
    if (term.second != 0) terms[kept++] = term;
  }
  terms.resize(kept);
}

// The product of monomials can be a number or a sum again: atoms with exponent 0 drop out.
Sym MultiplyMonomials(Sym a, Sym b) {
  Factors factors = FactorsOf(a);
  for (const auto& factor : FactorsOf(b)) factors.push_back(factor);
  return MonomialOf(*a->arena, std::move(factors));
}

bool HasSumFactor(Sym monomial) {
  if (monomial->op != SymOp::kProduct) return false;
  for (Sym factor : monomial->arguments)
    if (factor->op == SymOp::kSum) return true;
  return false;
}

Sym MultiplyOut(const Polynomial& a, const Polynomial& b, ExpressionArena& arena) {
  Polynomial product;
  product.constant = CheckedMultiply(a.constant, b.constant);
  for (const auto& [monomial, coefficient] : a.terms) {
    if (b.constant != 0) product.terms.emplace_back(monomial, CheckedMultiply(coefficient, b.constant));
    for (const auto& [other, by] : b.terms)
      product.terms.emplace_back(MultiplyMonomials(monomial, other), CheckedMultiply(coefficient, by));
  }
  if (a.constant != 0)
    for (const auto& [other, by] : b.terms) product.terms.emplace_back(other, CheckedMultiply(by, a.constant));
  SortAndMerge(product.terms);
  return NodeOf(arena, std::move(product));
}

}  // namespace

bool Contains(Sym node, Sym part) {
  if (node == part) return true;
  if (!(node->symbols & part->symbols)) return false;
  return std::any_of(node->arguments.begin(), node->arguments.end(), [&](Sym a) { return Contains(a, part); });
}

int64_t CheckedAdd(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out))
    Fail(ErrorClass::kOverflow, std::to_string(a) + " + " + std::to_string(b) + " is beyond 64 bits");
  return out;
}

int64_t CheckedMultiply(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out))
    Fail(ErrorClass::kOverflow, std::to_string(a) + " * " + std::to_string(b) + " is beyond 64 bits");
  return out;
}

int64_t FloorQuotient(int64_t a, int64_t b) {
  if (b == -1) return CheckedMultiply(a, -1);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Polynomial PolynomialOf(Sym node) {
  Polynomial p;
  if (node->IsInteger()) {
    p.constant = node->integer;
  } else if (node->op == SymOp::kSum) {
    p.constant = node->integer;
    for (size_t i = 0; i < node->arguments.size(); ++i) p.terms.emplace_back(node->arguments[i], node->coefficients[i]);
  } else {
    p.terms.emplace_back(node, 1);
  }
  return p;
}

Sym NodeOf(ExpressionArena& arena, Polynomial p) {
  if (p.terms.empty()) return arena.Integer(p.constant);
  if (p.constant == 0 && p.terms.size() == 1 && p.terms[0].second == 1) return p.terms[0].first;
  SymNode node;
  node.op = SymOp::kSum;
  node.integer = p.constant;
  for (const auto& [monomial, coefficient] : p.terms) {
    node.arguments.push_back(monomial);
    node.coefficients.push_back(coefficient);
  }
  return arena.Intern(std::move(node));
}

Factors FactorsOf(Sym monomial) {
  if (monomial->op != SymOp::kProduct) return {{monomial, 1}};
  Factors factors;
  for (size_t i = 0; i < monomial->arguments.size(); ++i)
    factors.emplace_back(monomial->arguments[i], monomial->coefficients[i]);
  return factors;
}

Sym MonomialOf(ExpressionArena& arena, Factors factors) {
  SortAndMerge(factors);
  if (factors.empty()) return arena.Integer(1);
  if (factors.size() == 1 && factors[0].second == 1) return factors[0].first;
  SymNode node;
  node.op = SymOp::kProduct;
  for (const auto& [factor, exponent] : factors) {
    node.arguments.push_back(factor);
    node.coefficients.push_back(exponent);
  }
  return arena.Intern(std::move(node));
}

Sym TryDivideMonomial(Sym a, Sym b) {
  Factors quotient = FactorsOf(a);
  for (const auto& [factor, exponent] : FactorsOf(b)) {
    auto at = std::find_if(quotient.begin(), quotient.end(), [&](const auto& f) { return f.first == factor; });
    if (at == quotient.end() || at->second < exponent) return nullptr;
    at->second -= exponent;
  }
  return MonomialOf(*a->arena, std::move(quotient));
}

int64_t ContentOf(const Polynomial& p) {
  int64_t content = 0;
  for (const auto& [monomial, coefficient] : p.terms) {
    if (coefficient == INT64_MIN) return 1;
    content = std::gcd(content, coefficient);
  }
  return content;
}

Sym Add(Sym a, Sym b) {
  if (a->IsInteger(0)) return b;
  if (b->IsInteger(0)) return a;
  if (a->IsInteger() && b->IsInteger()) return a->arena->Integer(CheckedAdd(a->integer, b->integer));
  Polynomial sum = PolynomialOf(a);
  const Polynomial other = PolynomialOf(b);
  sum.constant = CheckedAdd(sum.constant, other.constant);
  sum.terms.insert(sum.terms.end(), other.terms.begin(), other.terms.end());
  SortAndMerge(sum.terms);
  return NodeOf(*a->arena, std::move(sum));
}

Sym Scale(Sym a, int64_t factor) {
  if (factor == 1) return a;
  if (factor == 0) return a->arena->Integer(0);
  if (a->IsInteger()) return a->arena->Integer(CheckedMultiply(a->integer, factor));
  Polynomial scaled = PolynomialOf(a);
  scaled.constant = CheckedMultiply(scaled.constant, factor);
  for (auto& [monomial, coefficient] : scaled.terms) coefficient = CheckedMultiply(coefficient, factor);
  return NodeOf(*a->arena, std::move(scaled));
}

Sym Subtract(Sym a, Sym b) {
  if (a->IsInteger() && b->IsInteger())
    return a->arena->Integer(CheckedAdd(a->integer, CheckedMultiply(b->integer, -1)));
  return Add(a, Scale(b, -1));
}

Sym Multiply(Sym a, Sym b) {
  if (a->IsInteger()) return Scale(b, a->integer);
  if (b->IsInteger()) return Scale(a, b->integer);
  if (a->op != SymOp::kSum && b->op != SymOp::kSum) return MultiplyMonomials(a, b);
  const Polynomial x = PolynomialOf(a), y = PolynomialOf(b);
  if (x.terms.size() * y.terms.size() <= kMaxExpandedTerms && !HasSumFactor(a) && !HasSumFactor(b))
    return MultiplyOut(x, y, *a->arena);
  return MultiplyMonomials(a, b);
}

}  // namespace fakeprop
