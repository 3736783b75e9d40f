#include "lib/inputs/read_value.h"

#include <charconv>

#include "lib/base/suggest.h"
#include "lib/inputs/input_codes.h"
#include "lib/meta/device_name.h"
#include "lib/meta/nearest_name.h"

namespace fakeprop {
namespace {

// The type of a list's element, of a tuple's element `i`, of a dict's key (0) or value (1). Any type if none is
// declared.
InputPart PartAt(const InputPart& part, size_t i) {
  if (part.type == InputType::kList) i = 0;
  return part.type == InputType::kAny || i >= part.parts.size() ? InputPart() : part.parts[i];
}

Value ReadList(JsonValue json, const InputPart& part) {
  if (part.type == InputType::kTuple && json.AsArray().size() != part.parts.size())
    throw SpecError(kSpecMismatch, json,
        "expected a tuple of " + std::to_string(part.parts.size()) + " items but found " + std::to_string(json.size()));
  List list;
  list.is_tuple = part.type == InputType::kTuple;
  for (JsonValue item : json.AsArray()) list.items.push_back(ReadKnownValue(item, PartAt(part, list.items.size())));
  return list;
}

Value ReadDict(JsonValue json, const InputPart& part) {
  Dict dict;
  for (JsonValue item : json.AsObject())
    dict.items.emplace_back(KeyOf(item, part), ReadKnownValue(item, PartAt(part, 1)));
  return dict;
}

Device ReadDevice(JsonValue json) {
  const std::optional<Device> device = DeviceFromName(std::string(json.AsString()));
  if (!device)
    throw SpecError(
        kUnknownSpecName, json, "unknown device " + Quote(json.AsString()), DidYouMean(NearestDevice(json.AsString())));
  return WithIndex(*device);
}

Value ReadUndeclared(JsonValue json, const InputPart& part) {
  if (json.IsNull()) return {};
  if (part.parts.size() == 1) return ReadKnownValue(json, part.parts[0]);
  switch (json.kind()) {
    case JsonKind::kBool: return json.AsBool();
    case JsonKind::kReal: return json.AsReal();
    case JsonKind::kString: return std::string(json.AsString());
    case JsonKind::kArray: return ReadList(json, part);
    case JsonKind::kObject: return ReadDict(json, part);
    default: return json.AsInt();
  }
}

}  // namespace

Value KeyOf(JsonValue json, const InputPart& dict) {
  const std::string_view key = json.key();
  if (dict.type != InputType::kDict || dict.parts[0].type != InputType::kInt) return std::string(key);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error == std::errc() && end == key.data() + key.size()) return number;
  throw SpecError(kInvalidSpecValue, json, "the keys of this dict are integers, and " + Quote(key) + " is none");
}

Value ReadKnownValue(JsonValue json, const InputPart& part) {
  switch (part.type) {
    case InputType::kInt: return json.AsInt();
    case InputType::kFloat: return json.AsReal();
    case InputType::kBool: return json.AsBool();
    case InputType::kString: return std::string(json.AsString());
    case InputType::kDevice: return ReadDevice(json);
    case InputType::kList:
    case InputType::kTuple: return ReadList(json, part);
    case InputType::kDict: return ReadDict(json, part);
    case InputType::kTensor:
      throw SpecError(kSpecMismatch, json,
          "a tensor stands here: `items` gives the shape and dtype of tensors in lists, tuples and dicts");
    default: return ReadUndeclared(json, part);
  }
}

}  // namespace fakeprop
