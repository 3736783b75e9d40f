#include "lib/base/testing/json_schema.h"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

namespace fakeprop::testing {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

const std::set<std::string> kKeywords = {"type", "const", "enum", "required", "properties", "additionalProperties",
    "items", "minItems", "maxItems", "minimum", "oneOf", "anyOf", "pattern", "$ref", "$defs", "$schema", "$id", "title",
    "description"};

bool HasType(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  throw std::invalid_argument("unknown type " + type);
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  Lines Validate(const json& value, const json& schema, const std::string& at) const {
    for (const auto& [keyword, ignored] : schema.items())
      if (!kKeywords.contains(keyword)) throw std::invalid_argument("unknown keyword " + keyword);
    Lines lines;
    if (schema.contains("$ref")) Append(lines, Validate(value, Resolve(schema["$ref"]), at));
    CheckType(value, schema, at, lines);
    CheckWords(value, schema, at, lines);
    if (value.is_object()) CheckObject(value, schema, at, lines);
    if (value.is_array()) CheckArray(value, schema, at, lines);
    CheckAlternatives(value, schema, at, lines);
    return lines;
  }

 private:
  const json& Resolve(const std::string& reference) const {
    if (!reference.starts_with("#")) throw std::invalid_argument("reference " + reference);
    return root_.at(json::json_pointer(reference.substr(1)));
  }

  static void Append(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }
  static void Add(Lines& lines, const std::string& at, const std::string& what) { lines.push_back(at + ": " + what); }

  static void CheckType(const json& value, const json& schema, const std::string& at, Lines& lines) {
    if (!schema.contains("type")) return;
    const json& type = schema["type"];
    const std::vector<std::string> types =
        type.is_string() ? std::vector<std::string>{type.get<std::string>()} : type.get<std::vector<std::string>>();
    if (std::none_of(types.begin(), types.end(), [&](const std::string& t) { return HasType(value, t); }))
      Add(lines, at, value.dump() + " is not of type " + type.dump());
  }

  static void CheckWords(const json& value, const json& schema, const std::string& at, Lines& lines) {
    if (schema.contains("const") && value != schema["const"])
      Add(lines, at, value.dump() + " is not " + schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      Add(lines, at, value.dump() + " is none of " + schema["enum"].dump());
    if (schema.contains("pattern") && value.is_string() &&
        !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
      Add(lines, at, value.dump() + " does not match " + schema["pattern"].dump());
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
      Add(lines, at, value.dump() + " is too small");
  }

  void CheckObject(const json& value, const json& schema, const std::string& at, Lines& lines) const {
    if (schema.contains("required"))
      for (const json& name : schema["required"])
        if (!value.contains(name.get<std::string>())) Add(lines, at, "has no " + name.dump());
    const json none = json::object();
    const json& properties = schema.contains("properties") ? schema["properties"] : none;
    for (const auto& [name, member] : value.items()) {
      if (properties.contains(name)) {
        Append(lines, Validate(member, properties[name], at + "/" + name));
      } else if (schema.contains("additionalProperties")) {
        const json& more = schema["additionalProperties"];
        if (more.is_object()) Append(lines, Validate(member, more, at + "/" + name));
        else if (!more.get<bool>()) Add(lines, at, "has an unknown member \"" + name + "\"");
      }
    }
  }

  void CheckArray(const json& value, const json& schema, const std::string& at, Lines& lines) const {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) Add(lines, at, "has too few items");
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) Add(lines, at, "has too many items");
    if (!schema.contains("items")) return;
    for (size_t i = 0; i < value.size(); ++i)
      Append(lines, Validate(value[i], schema["items"], at + "/" + std::to_string(i)));
  }

  void CheckAlternatives(const json& value, const json& schema, const std::string& at, Lines& lines) const {
    for (const char* keyword : {"oneOf", "anyOf"}) {
      if (!schema.contains(keyword)) continue;
      size_t fitting = 0;
      Lines nearest;
      for (const json& alternative : schema[keyword]) {
        const Lines found = Validate(value, alternative, at);
        fitting += found.empty();
        if (nearest.empty() || (!found.empty() && found.size() < nearest.size())) nearest = found;
      }
      if (fitting == 0) Append(lines, nearest);
      if (fitting > 1 && std::string(keyword) == "oneOf") Add(lines, at, "fits more than one alternative");
    }
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> ValidateJson(const json& value, const json& schema) {
  return Validator(schema).Validate(value, schema, "");
}

}  // namespace fakeprop::testing
