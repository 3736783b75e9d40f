// Writes values of a JSON tree as they were read.
#pragma once

#include "lib/json/json_tree.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

void WriteJson(JsonValue value, JsonWriter& json);

}  // namespace fakeprop
