// Numbers of bytes as sums of monomials over symbols.
//
// The bytes that are alive after each step of a graph are sums of the same few products of symbols, such as
// `batch*seq`. Such a sum is a vector of coefficients, so that adding and comparing sums costs little.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/meta/dim.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/node.h"

namespace fakeprop {

// The coefficient of each monomial. The first is the constant.
using ByteSum = std::vector<int64_t>;

class ByteBasis {
 public:
  // A monomial, by its number, with its coefficient.
  using Term = std::pair<int32_t, int64_t>;

  // The terms of a number of bytes. Monomials that are new get a number.
  std::vector<Term> TermsOf(Dim bytes);

  // How many monomials there are, the constant included.
  size_t size() const { return monomials_.size(); }
  // The first is null: the constant.
  const std::vector<Sym>& monomials() const { return monomials_; }

  // The sum as a number or an expression.
  Dim ToDim(const ByteSum& sum) const;

  // The value of each monomial where symbols have these values. Throws an OpError of class Overflow if one has none.
  std::vector<int64_t> At(const SymbolValues& point) const;

 private:
  int32_t IndexOf(Sym monomial);

  std::vector<Sym> monomials_ = {nullptr};
  std::unordered_map<Sym, int32_t> index_;
};

}  // namespace fakeprop
