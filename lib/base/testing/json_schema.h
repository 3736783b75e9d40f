// A validator for the part of JSON Schema (2020-12) that the schemas in docs/ use.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fakeprop::testing {

// What in `value` the schema does not allow, one line each with its JSON pointer; empty where all is well. A keyword
// that is not known here throws std::invalid_argument: no schema may rely on what is not checked.
std::vector<std::string> ValidateJson(const nlohmann::json& value, const nlohmann::json& schema);

}  // namespace fakeprop::testing
