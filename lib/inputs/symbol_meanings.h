// The meanings of the symbols that the graph recorded in its sizes.
//
// A recorded symbol such as `s77` becomes one of three:
//   a number       if it follows from numbers that the spec gives (solve_symbols.h)
//   an expression  if it follows from an expression of the spec over the spec's own symbols (equate_sizes.h)
//   a symbol       of the ShapeEnv, with the recorded range and hint (declare_symbols.h)
#pragma once

#include <string>
#include <string_view>

#include "lib/symbolic/build.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

struct SymbolMeanings {
  SymbolValues numbers;
  Renamed expressions;

  bool Has(const std::string& symbol) const { return numbers.contains(symbol) || expressions.contains(symbol); }
};

// The expression with numbers in place of the symbols that are numbers.
Expression PutInNumbers(Expression expression, const SymbolValues& numbers);

// The size as an expression of `env`, with all meanings put in. Null if the text is not an expression or names a symbol
// that has no meaning and is not in `env`.
// Throws OpError as Build does.
Sym BuildSize(std::string_view spelling, const SymbolMeanings& meanings, ShapeEnv& env);

// "did you mean `batch`?" of a symbol of the expression that is unknown, if it is near to a known one; else empty.
std::string SuggestSymbol(const Expression& expression, const SymbolMeanings& meanings, const ShapeEnv& env);

}  // namespace fakeprop
