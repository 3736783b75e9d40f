// Reads values and symbols from annotations, so that nodes can run on them.
#pragma once

#include <memory>
#include <optional>

#include "lib/inputs/inputs.h"
#include "lib/json/json_tree.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// The symbols of the annotations with their ranges and hints. The guards hold. Anything that this version cannot read
// is left out.
std::shared_ptr<ShapeEnv> ReadAnnotatedSymbols(JsonValue annotations);

// A value as an input of a graph. Its sizes are over symbols of `env`. Nothing for lists, or if the value names a
// symbol that `env` does not have.
std::optional<InputValue> ReadAnnotatedValue(JsonValue value, ShapeEnv& env);

}  // namespace fakeprop
