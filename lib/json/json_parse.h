// From text to a JsonTree.
#pragma once

#include <string_view>

#include "lib/json/json_tree.h"

namespace fakeprop {

inline constexpr size_t kMaxJsonDepth = 500;
inline constexpr size_t kMaxJsonValues = size_t{1} << 26;

// Parses one JSON document, strictly: valid UTF-8, no duplicate names in an object, nothing after the end, at most
// kMaxJsonDepth levels. Throws JsonError, whose place is "byte 17".
JsonTree ParseJson(std::string_view text);

// The same, but reads the words `Infinity`, `-Infinity` and `NaN`, which JSON does not have, as numbers. Python's json
// module writes them, and torch.export did so up to torch 2.6.
JsonTree ParsePythonJson(std::string_view text);

}  // namespace fakeprop
