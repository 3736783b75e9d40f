// Writes the symbols and guards of a run as annotations have them.
#pragma once

#include "lib/json/json_writer.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// {"s0": {"min": 2, "max": 512, "hint": 8, "source": "x.size(0)"},
//  "u0": {"min": 0, "kind": "unbacked", "source": "nonzero"}}. A null `env` has no symbols.
void WriteSymbols(const ShapeEnv* env, JsonWriter& json);

// {"expr": "Ne(s0, 1)", "node": "linear_3", "line": "net.py:12"}. An assertion that is checked at run time also has
// "kind": "assertion".
void WriteGuard(const GuardRecord& guard, JsonWriter& json);

// All guards as an array. A null `env` has none.
void WriteGuards(const ShapeEnv* env, JsonWriter& json);

}  // namespace fakeprop
