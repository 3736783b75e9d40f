// Annotations as JSON (format fakeprop.annotations/1; docs/annotations.schema.json).
#pragma once

#include <string>

#include "lib/interpreter/annotations.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// The whole file, with one line for each node. The same annotations always give the same bytes.
std::string WriteAnnotations(const Graph& graph, const Annotations& annotations);

// One value as annotations have it. `graph` has the names of subgraphs.
void WriteValue(const Graph& graph, const Value& value, JsonWriter& json);

}  // namespace fakeprop
