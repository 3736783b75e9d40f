// The conditions that the results of a run over symbols rely on.
#pragma once

#include <string>
#include <vector>

#include "lib/json/json_writer.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// A guard in words: "Eq(Mod(len, 2), 0)", "node `view`, model.py:9".
struct Condition {
  std::string expression;
  std::string place;  // empty if it is not known
};

// The results hold for all sizes within the symbols' ranges that satisfy these guards, which the hints do.
struct Conditions {
  std::string hints;              // "batch = 4, len = 7"
  std::vector<Condition> guards;  // no declared ones, no run-time assertions; empty if the results hold for all sizes
};

// The conditions of a run. A null `env` has no symbols, and so no conditions.
Conditions ConditionsOf(const ShapeEnv* env);

// The symbols with their ranges: "batch at least 1, len from 8 to 640". Empty if there are none.
std::string SymbolRangesText(const ShapeEnv* env);

// Lines for people: "holds where 1 guard does, as at len = 7", then the guards, indented. Empty without guards.
std::string ConditionsText(const Conditions& conditions);

// [{"expr": "Eq(Mod(len, 2), 0)", "place": "node `view`, model.py:9"}]
void WriteConditions(const Conditions& conditions, JsonWriter& json);

}  // namespace fakeprop
