#include "lib/base/testing/json_schema.h"

#include <gtest/gtest.h>

namespace fakeprop::testing {
namespace {

struct Case {
  const char* value;
  const char* schema;
  std::vector<std::string> lines;
};

const Case kCases[] = {
    {"1", R"({"type": "integer"})", {}},
    {"1.5", R"({"type": ["integer", "string"]})", {R"(: 1.5 is not of type ["integer","string"])"}},
    {R"({"a": 1})", R"({"required": ["a", "b"]})", {R"(: has no "b")"}},
    {R"({"a": 1})", R"({"additionalProperties": false})", {R"(: has an unknown member "a")"}},
    {R"({"a": {"b": "x"}})", R"({"properties": {"a": {"additionalProperties": {"type": "null"}}}})",
        {R"(/a/b: "x" is not of type "null")"}},
    {"[1, 2, -3]", R"({"items": {"minimum": 0}, "maxItems": 2})", {": has too many items", "/2: -3 is too small"}},
    {R"("cpu:0")", R"({"pattern": "^[a-z]+$"})", {R"(: "cpu:0" does not match "^[a-z]+$")"}},
    {"[[1], []]", R"({"$ref": "#/$defs/l", "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}})",
        {R"(/0/0: 1 is not of type "array")"}},
    {"1", R"({"oneOf": [{"const": 1}, {"enum": [1, 2]}]})", {": fits more than one alternative"}},
    {"3", R"({"anyOf": [{"const": 1}, {"enum": [1, 2]}]})", {": 3 is not 1"}},
};

TEST(JsonSchema, Cases) {
  for (const Case& c : kCases)
    EXPECT_EQ(ValidateJson(nlohmann::json::parse(c.value), nlohmann::json::parse(c.schema)), c.lines)
        << c.value << " " << c.schema;
}

TEST(JsonSchema, UnknownKeywordsAreRefused) {
  EXPECT_THROW(ValidateJson(1, nlohmann::json::parse(R"({"maximum": 3})")), std::invalid_argument);
}

}  // namespace
}  // namespace fakeprop::testing
