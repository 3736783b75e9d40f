// Python's functions on numbers where an argument is a symbol: expressions instead of values.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lib/meta/value.h"
#include "lib/symbolic/node.h"

namespace fakeprop {

// Takes what the plain function takes, as nodes.
using SymbolicFunction = Sym (*)(std::span<const Sym> arguments);

// By the target's spelling ("_operator.add"); null if there is none, and the plain function takes hints.
SymbolicFunction FindSymbolicFunction(std::string_view target);

// Nothing if no argument is symbolic, or one is no number.
std::optional<Value> CallSymbolic(SymbolicFunction function, std::span<const Value* const> arguments);

}  // namespace fakeprop
