// Matches the arguments that a graph writes with an operator's schema.
#pragma once

#include <vector>

#include "lib/graph/graph.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// For each argument of the schema the one written in `written` (by name, else by position), else its default.
// The pointers go into `written`'s values and the schema. Too many arguments, an unknown name or a missing required
// one is an OpError of class TypeError.
std::vector<const Value*> BindArguments(const Schema& schema, const std::vector<Argument>& written);

}  // namespace fakeprop
