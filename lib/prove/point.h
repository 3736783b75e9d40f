// Evaluates expressions at a point, which has a number for each symbol.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// The value of an expression. Nothing if a symbol has no value, or if the result is undefined or leaves 64 bits.
std::optional<SymNumber> ValueAt(Sym node, const SymbolValues& point);

// Returns true if all conditions hold at the point. A condition without a value does not hold.
bool AllHoldAt(std::span<const Sym> conditions, const SymbolValues& point);

// A symbol's sizes as declared.
struct SymbolDomain {
  std::string name;
  Range range;
  int64_t multiple = 1;
  int64_t hint = 0;
};

// The values that the backed symbols of a graph may have.
struct Domain {
  std::vector<SymbolDomain> symbols;
  std::vector<Sym> conditions;  // declared conditions over several symbols

  bool Has(const SymbolValues& point) const;
};

Domain DomainOf(const ShapeEnv& env);

// Gives points of a domain. First those at which programs often fail: ends of ranges, equal and neighbouring sizes,
// small sizes. Then random ones. The sequence is always the same.
class PointSource {
 public:
  explicit PointSource(const Domain& domain) : domain_(domain) {}

  // The next point. Nothing if none was found by chance.
  std::optional<SymbolValues> Next();

 private:
  uint64_t Random(uint64_t below);
  int64_t Draw(const SymbolDomain& symbol);

  const Domain& domain_;
  uint64_t state_ = 1;
};

}  // namespace fakeprop
