// From an expression as a file spells it to a node.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Null where a symbol is not there or a function is unknown; what is undefined or beyond 64 bits is an OpError.
// Source of the functions: torch/utils/_sympy/functions.py (torch 2.13).
// `renamed`: names that stand for other than the symbol of that name.
using Renamed = std::map<std::string, Sym, std::less<>>;
Sym Build(const Expression& expression, ShapeEnv& env, const Renamed& renamed = {});

// The same of a text in either spelling; null also where it is no expression.
Sym ParseSym(std::string_view text, ShapeEnv& env);

}  // namespace fakeprop
