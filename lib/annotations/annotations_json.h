// Annotations as JSON (format fakeprop.annotations/1; docs/annotations.schema.json).
#pragma once

#include <functional>
#include <string>

#include "lib/interpreter/annotations.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// Writes further fields of one node.
using WriteMore = std::function<void(const GraphAnnotations& graph, const NodeAnnotation& node, JsonWriter& json)>;

// The whole file, with one line for each node. The same annotations always give the same bytes.
std::string WriteAnnotations(const Graph& graph, const Annotations& annotations, const WriteMore& more = {});

// One value as annotations have it. `graph` has the names of subgraphs.
void WriteValue(const Graph& graph, const Value& value, JsonWriter& json);

}  // namespace fakeprop
