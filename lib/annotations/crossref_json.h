// The counts of `--crossref` as JSON.
#pragma once

#include "lib/interpreter/annotations.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// {"compared": 26, "differ": 0, "on_purpose": 1, "not_compared": [{"op": "aten::nonzero", "nodes": 1, "reason": ".."}]}
void WriteCrossref(const Crossref& crossref, JsonWriter& json);

}  // namespace fakeprop
