// A size or condition that a run found, and what was recorded in its place.
#pragma once

#include <string_view>

#include "lib/meta/dim.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Returns true if the two have different values for some values of the symbols that satisfy all that `env` knows, or if
// the run has a number where data decides by the record. An expression with other symbols that the run lacks can't be
// compared.
bool DiffersFromRecorded(std::string_view recorded, Dim found, ShapeEnv& env);
// The same for a condition that the run left open and the record did not: torch.export simplifies its record by the
// assertions that follow in the graph.
bool DiffersFromRecorded(bool recorded, Sym found, ShapeEnv& env);

}  // namespace fakeprop
