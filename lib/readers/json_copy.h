// Writes values of a JSON tree as they were read.
#pragma once

#include "lib/base/json_writer.h"
#include "lib/readers/json_tree.h"

namespace fakeprop {

void WriteJson(JsonValue value, JsonWriter& json);

}  // namespace fakeprop
