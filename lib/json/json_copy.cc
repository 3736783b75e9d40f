#include "lib/json/json_copy.h"

namespace fakeprop {
namespace {

void WriteMembers(JsonValue object, JsonWriter& json) {
  json.BeginObject();
  for (JsonValue member : object) WriteJson(member, json.KeyOf(member.key()));
  json.EndObject();
}

}  // namespace

void WriteJson(JsonValue value, JsonWriter& json) {
  switch (value.kind()) {
    case JsonKind::kNull: return json.Null();
    case JsonKind::kBool: return json.Bool(value.AsBool());
    case JsonKind::kInteger: return json.Int(value.AsInt());
    case JsonKind::kBigInteger:
    case JsonKind::kReal: return json.Float(value.AsReal());
    case JsonKind::kString: return json.String(value.AsString());
    case JsonKind::kArray: return json.Array(value, [&](JsonValue item) { WriteJson(item, json); });
    case JsonKind::kObject: return WriteMembers(value, json);
  }
}

std::string JsonText(JsonValue json) {
  if (json.kind() == JsonKind::kString) return std::string(json.AsString());
  JsonWriter text;
  WriteJson(json, text);
  return text.Take();
}

}  // namespace fakeprop
