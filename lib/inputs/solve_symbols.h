// Solves for the symbols that follow from numbers: those that the spec gives as sizes, or the hints that the graph
// recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/slots.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

// The values of the symbols that follow from the numbers that the spec gives. If the graph recorded a size as `2*s77`
// and the spec gives 10, s77 is 5. Throws SpecError if two places disagree, no integer is a solution, or a value is out
// of its recorded range.
SymbolValues SolveSymbols(const Graph& graph, const std::vector<Slot>& slots);

// The values of the symbols that follow from the hints of recorded sizes. Hints that contradict each other are ignored.
SymbolValues SolveHints(const std::vector<Slot>& slots);

// Solves expression == number for the one symbol that has no value. The expression must be linear in it, such as `s0`,
// `8*s0` or `2*s0 + 1`; else returns nothing. Sets `impossible` if it is linear but no integer solves the equation.
std::optional<int64_t> SolveLinear(
    const Expression& expression, const std::string& symbol, SymbolValues values, int64_t number, bool& impossible);

}  // namespace fakeprop
