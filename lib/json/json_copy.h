// Writes values of a JSON tree as they were read.
#pragma once

#include <string>

#include "lib/json/json_tree.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

void WriteJson(JsonValue value, JsonWriter& json);

// JSON on one line, such as "[2, 3]". A value that is just a string has no quotes.
std::string JsonText(JsonValue json);

}  // namespace fakeprop
