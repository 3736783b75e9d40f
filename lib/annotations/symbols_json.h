// The symbols and guards of a run, as annotations have them.
#pragma once

#include "lib/json/json_writer.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Both take null for none. {"s0": {"min": 2, "max": 512, "hint": 8, "source": "x.size(0)"}, "u0": {"min": 0, "kind":
// "unbacked", "source": "nonzero"}}
void WriteSymbols(const ShapeEnv* env, JsonWriter& json);

// {"expr": "Ne(s0, 1)", "node": "linear_3", "line": "net.py:12"}; an assertion for run time has "kind": "assertion".
void WriteGuard(const GuardRecord& guard, JsonWriter& json);

// A list of them.
void WriteGuards(const ShapeEnv* env, JsonWriter& json);

}  // namespace fakeprop
