// Declares the symbols that sizes of inputs keep, with their ranges and hints.
#pragma once

#include <vector>

#include "lib/inputs/inputs.h"
#include "lib/inputs/slots.h"
#include "lib/inputs/symbol_meanings.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// The declarations of the spec and the caller about symbols.
struct SymbolDeclarations {
  SpecSymbols spec;
  SymbolValues hints;  // by name; these win over all other hints
  UnbackedInputs unbacked = UnbackedInputs::kKept;
};

// Declares symbols in `env` in this order:
// 1. the symbols of the spec;
// 2. none for the recorded symbols that follow from sizes that the spec gives as expressions: they get these as their
//    meaning (equate_sizes.h);
// 3. all other recorded symbols without a number, with their recorded range and hint. Throws SpecError or OpError if
// the spec and the graph contradict each other.
void DeclareSymbols(const Graph& graph, const std::vector<Slot>& slots, const SymbolDeclarations& declarations,
    SymbolMeanings& meanings, ShapeEnv& env);

}  // namespace fakeprop
