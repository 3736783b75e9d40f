// Makes nodes of expressions as files spell them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// The symbols that names stand for, if not the environment's symbol of that name.
using Renamed = std::map<std::string, Sym, std::less<>>;

// The expression as a node of `env`. Null if it has a symbol that is not there or an unknown function. Throws an
// OpError if it is undefined, such as a division by 0, or leaves 64 bits. Source of the functions:
// torch/utils/_sympy/functions.py (torch 2.13).
Sym Build(const Expression& expression, ShapeEnv& env, const Renamed& renamed = {});

// The same for a text in either spelling (expression.h). Null also if the text is not an expression.
Sym ParseSym(std::string_view text, ShapeEnv& env);

}  // namespace fakeprop
