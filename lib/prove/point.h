// Expressions at a point: with a number for each symbol.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Nothing where a symbol has no value, or the result is undefined or beyond 64 bits.
std::optional<SymNumber> ValueAt(Sym node, const SymbolValues& point);

// Whether all hold there; false where one has no value.
bool AllHoldAt(std::span<const Sym> conditions, const SymbolValues& point);

// A symbol's sizes as declared.
struct SymbolDomain {
  std::string name;
  Range range;
  int64_t multiple = 1;
  int64_t hint = 0;
};

// What the symbols of a graph may be, data aside.
struct Domain {
  std::vector<SymbolDomain> symbols;
  std::vector<Sym> conditions;  // declared of several

  bool Has(const SymbolValues& point) const;
};

Domain DomainOf(const ShapeEnv& env);

// Points of a domain where programs go wrong: ends of ranges, equal and neighbouring sizes, small ones; then any.
// Always the same ones.
class PointSource {
 public:
  explicit PointSource(const Domain& domain) : domain_(domain) {}

  // The next point; nothing where luck did not find one.
  std::optional<SymbolValues> Next();

 private:
  uint64_t Random(uint64_t below);
  int64_t Draw(const SymbolDomain& symbol);

  const Domain& domain_;
  uint64_t state_ = 1;
};

}  // namespace fakeprop
