// The ranges of nodes in annotations.
#pragma once

#include "lib/json/json_writer.h"
#include "lib/value_ranges/value_analysis.h"

namespace fakeprop {

// "values": {"min": 0, "max": "s53 - 1"} of a node that returns one tensor, a list of these of one that returns
// several. An end that is not known is left out, and all of it if nothing is known. Before it "indices": [{"of":
// "positions", "verdict": "fails for some", "holds": "s53 <= 1024"}] of a node that uses indices.
void WriteRanges(
    const ValueAnalysis& analysis, const GraphAnnotations& graph, const NodeAnnotation& node, JsonWriter& json);

}  // namespace fakeprop
