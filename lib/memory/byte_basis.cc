#include "lib/memory/byte_basis.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/prove/point.h"
#include "lib/symbolic/expression_arena.h"
#include "lib/symbolic/polynomial.h"

namespace fakeprop {

int32_t ByteBasis::IndexOf(Sym monomial) {
  const auto [it, is_new] = index_.emplace(monomial, static_cast<int32_t>(monomials_.size()));
  if (is_new) monomials_.push_back(monomial);
  return it->second;
}

std::vector<ByteBasis::Term> ByteBasis::TermsOf(Dim bytes) {
  std::vector<Term> terms;
  if (const auto number = bytes.TryNumber()) {
    terms.emplace_back(0, *number);
    return terms;
  }
  const Polynomial polynomial = PolynomialOf(bytes.Expression());
  if (polynomial.constant) terms.emplace_back(0, polynomial.constant);
  for (const auto& [monomial, coefficient] : polynomial.terms) terms.emplace_back(IndexOf(monomial), coefficient);
  return terms;
}

Dim ByteBasis::ToDim(const ByteSum& sum) const {
  Polynomial polynomial{sum.empty() ? 0 : sum[0], {}};
  for (size_t i = 1; i < sum.size(); ++i)
    if (sum[i] != 0) polynomial.terms.emplace_back(monomials_[i], sum[i]);
  if (polynomial.terms.empty()) return polynomial.constant;
  std::sort(polynomial.terms.begin(), polynomial.terms.end(),
      [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  ExpressionArena& arena = *polynomial.terms[0].first->arena;
  return Dim::Of(NodeOf(arena, std::move(polynomial)));
}

std::vector<int64_t> ByteBasis::At(const SymbolValues& point) const {
  std::vector<int64_t> values = {1};
  for (size_t i = 1; i < monomials_.size(); ++i) {
    const std::optional<SymNumber> value = ValueAt(monomials_[i], point);
    if (!value)
      Fail(ErrorClass::kOverflow, "`" + ToString(monomials_[i]) + "` has no value within 64 bits at these sizes");
    values.push_back(value->integer);
  }
  return values;
}

}  // namespace fakeprop
