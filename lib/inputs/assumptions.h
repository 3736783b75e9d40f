// The facts about sizes that the spec states: "assume": ["batch % 2 == 0", "a == b"].
#pragma once

#include <string_view>
#include <vector>

#include "lib/inputs/spec.h"
#include "lib/inputs/symbol_meanings.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// New hints for symbols of `env` whose hints violate an assumption, such that all assumptions and all that is declared
// hold. The spec's own hints stay. Empty if nothing has to change, or if no such hints were found. Throws SpecError if
// an assumption is no condition over known symbols.
SymbolValues FitHints(const SpecSymbols& spec, const SymbolMeanings& meanings, ShapeEnv& env);

// The conditions of a spec's text that are over symbols of `env`. The spec has been resolved with this `env`.
std::vector<Sym> AssumptionsOf(std::string_view spec_text, ShapeEnv& env);

// Makes the assumptions facts of `env`. Throws SpecError if one cannot hold, or does not hold for the hints.
void TakeAssumptions(const SpecSymbols& spec, const SymbolMeanings& meanings, ShapeEnv& env);

}  // namespace fakeprop
