// Annotations as JSON (format fakeprop.annotations/1; docs/annotations.schema.json).
#pragma once

#include <string>

#include "lib/interpreter/propagate.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// The whole file, one line a node. The same annotations give the same bytes.
std::string WriteAnnotations(const Graph& graph, const Annotations& annotations);

// One value as annotations write it; `graph` names subgraphs.
void WriteValue(const Graph& graph, const Value& value, JsonWriter& json);

}  // namespace fakeprop
