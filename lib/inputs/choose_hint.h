// Chooses the hint of a symbol that the spec declares.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/inputs/slots.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

// The spec's own hint. Else one that follows from a hint that the graph recorded: for the symbol of this name
// (`recorded`), or for a size that the spec gives as an expression over the symbol alone. Else a size of the symbol's
// range near a small prime number; symbols of different `index` get different ones.
int64_t ChooseHint(
    const SpecSymbol& symbol, size_t index, const SymbolValues& recorded, const std::vector<Slot>& slots);

}  // namespace fakeprop
