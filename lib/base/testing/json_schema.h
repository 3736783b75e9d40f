// A validator for the part of JSON Schema (2020-12) that the schemas in docs/ use.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fakeprop::testing {

// The parts of `value` that the schema does not allow, one line each with a JSON pointer. Empty if the value is valid.
// An unknown keyword throws std::invalid_argument, since a schema must not rely on a keyword that is not checked.
std::vector<std::string> ValidateJson(const nlohmann::json& value, const nlohmann::json& schema);

}  // namespace fakeprop::testing
