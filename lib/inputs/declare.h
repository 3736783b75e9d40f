// The symbols of inputs that stay symbols: with the ranges and hints that the graph recorded.
#pragma once

#include "lib/inputs/spec.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// What names stand for: numbers that the spec's shapes settle, and the spec's own expressions for recorded symbols.
struct SymbolBindings {
  const SymbolValues& values;
  std::map<std::string, Sym, std::less<>> renamed;
};

// What is said of symbols beside the graph.
struct SymbolDeclarations {
  SpecSymbols spec;
  SymbolValues hints;  // over all others, by name
};

// Makes in `env` the spec's symbols, binds what the graph recorded where the spec has an expression, and makes each
// other symbol that the inputs' recorded sizes name and nothing settles, with the recorded range and hint. Throws
// SpecError where the spec and the graph contradict each other.
void DeclareSymbols(const Graph& graph, const std::vector<Slot>& slots, const SymbolDeclarations& declarations,
    SymbolBindings& bindings, ShapeEnv& env);

// Numbers in the place of the symbols that are settled.
Expression PutIn(Expression expression, const SymbolBindings& bindings);

// The expression with the settled symbols put in; null where it is none, or names a symbol that nothing declares.
Sym BuildSize(std::string_view spelling, const SymbolBindings& bindings, ShapeEnv& env);

// The values that the graph recorded as hints.
SymbolValues RecordedHints(const Graph& graph, const std::vector<Slot>& slots);

}  // namespace fakeprop
