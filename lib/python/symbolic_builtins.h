// Python's functions on numbers, for arguments with symbols: they give expressions instead of values.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lib/meta/value.h"
#include "lib/symbolic/node.h"

namespace fakeprop {

// Takes the arguments of the plain function as nodes.
using SymbolicFunction = Sym (*)(std::span<const Sym> arguments);

// Finds a function by the target's spelling ("_operator.add"). Null if there is none; the plain function then takes
// hints.
SymbolicFunction FindSymbolicFunction(std::string_view target);

// Returns nothing if no argument is symbolic, or if one is not a number.
std::optional<Value> CallSymbolic(SymbolicFunction function, std::span<const Value* const> arguments);

}  // namespace fakeprop
