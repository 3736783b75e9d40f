// Values and symbols as annotations write them, to run nodes on.
#pragma once

#include <memory>
#include <optional>

#include "lib/inputs/inputs.h"
#include "lib/json/json_tree.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// The symbols of the annotations with their ranges and hints, and the guards, which hold. What this version cannot read
// is left out.
std::shared_ptr<ShapeEnv> ReadAnnotatedSymbols(JsonValue annotations);

// A value as an input of a graph; its sizes are over symbols of `env`. Nothing for lists, and for what names a symbol
// that `env` does not have.
std::optional<InputValue> ReadAnnotatedValue(JsonValue value, ShapeEnv& env);

}  // namespace fakeprop
