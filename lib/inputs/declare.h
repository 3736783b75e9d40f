// Declares the symbols that sizes of inputs keep, with the ranges and hints that the graph recorded.
#pragma once

#include "lib/inputs/spec.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// The symbols that have a meaning already: numbers, which follow from the spec's shapes, and expressions of the spec
// that replace recorded symbols.
struct SymbolBindings {
  const SymbolValues& values;
  std::map<std::string, Sym, std::less<>> renamed;
};

// What spec and caller say about symbols.
struct SymbolDeclarations {
  SpecSymbols spec;
  SymbolValues hints;  // by name; these win over all other hints
};

// Declares the spec's symbols in `env`. Then it binds recorded symbols to the expressions that the spec gives for their
// sizes. The other symbols of recorded sizes are declared with their recorded range and hint, unless they have a
// number. Throws SpecError if the spec and the graph contradict each other.
void DeclareSymbols(const Graph& graph, const std::vector<Slot>& slots, const SymbolDeclarations& declarations,
    SymbolBindings& bindings, ShapeEnv& env);

// The expression with numbers in place of the symbols that have one.
Expression PutIn(Expression expression, const SymbolBindings& bindings);

// The expression with all bindings put in. Null if the text is not an expression or names an undeclared symbol.
Sym BuildSize(std::string_view spelling, const SymbolBindings& bindings, ShapeEnv& env);

// The hints that the graph recorded, by symbol.
SymbolValues RecordedHints(const Graph& graph, const std::vector<Slot>& slots);

}  // namespace fakeprop
